package io.hirundo.testkit.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.fixture.FixtureValues;
import io.hirundo.testkit.scalar.value.HostValues;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongToDoubleFunction;

/** How weights and state move to another strategy while a run trains. */
public interface ReshardingClauses extends DataParallelOffer {
    @Clause(
            value =
                    "If isMovable(), gatherOwned() passes every parameter once, with all elements that its owners hold, and keeps no memory",
            remedy =
                    "gatherOwned(): all ranks get all elements of weights and of tensors that are sharded like them; tensors that are null are skipped")
    default void gatherOwnedHasEveryElement() {
        for (int ranks : ranks()) {
            gathers(ranks, Ownership.ELEMENTS, 1);
            gathers(ranks, Ownership.TENSOR, 1);
            gathers(ranks, Ownership.BLOCKS, Ownership.BLOCK_ELEMENTS);
        }
    }

    /** {@code ofMatrices}: what the optimizer needs of them, unless the strategy rejects it. */
    private void gathers(int ranks, Ownership ofMatrices, int block) {
        var runs = new DataRanks(this, strategy(), ranks, spec -> spec.isMatrix() ? ofMatrices : Ownership.ELEMENTS);
        if (ofMatrices == Ownership.ELEMENTS || !runs.isRejected()) {
            runs.run(fixture -> {
                gathers(fixture, block);
                return null;
            });
        }
    }

    /** {@code block}: elements of a parameter for each element of the tensors; 1 for the weights. */
    private void gathers(DataFixture fixture, int block) {
        requireMovable(fixture);
        if (!fixture.parameters.isMovable(block)) {
            return;
        }
        Map<String, DType> types = Map.of(FixtureBlocks.PARAMETERS.getLast().name(), DType.BF16);
        fixture.parameters.hold(types);
        fixture.update(5);
        long before = fixture.bench.books().live(MemoryCategory.COMMUNICATION);
        var state = new HashMap<String, Tensor>();
        for (Parameter run : fixture.parameters.owned()) {
            long elements = run.value().elements() / block;
            if (elements > 0 && (block == 1 || run.spec().isMatrix())) {
                long first = run.firstElement() / block;
                state.put(
                        run.spec().name(),
                        fixture.bench.tensor(
                                DType.FP32, i -> FixtureValues.random(run.spec().name(), first + i), elements));
            }
        }
        var names = new ArrayList<String>();
        fixture.parameters.gatherOwned(
                fixture.queue(), DType.FP32, block, run -> state.get(run.spec().name()), (name, whole) -> {
                    names.add(name);
                    ParameterSpec spec = FixtureBlocks.named(name);
                    if (block == 1 || spec.isMatrix()) {
                        requireElements(
                                fixture,
                                name,
                                whole,
                                spec.shape().elements() / block,
                                element -> FixtureValues.random(name, element));
                    }
                });
        if (block == 1) {
            requireAll(names);
            names.clear();
            fixture.parameters.gatherOwned(fixture.queue(), weightType(), Parameter::value, (name, whole) -> {
                names.add(name);
                long elements = FixtureBlocks.named(name).shape().elements();
                requireElements(fixture, name, whole, elements, FixtureBlocks.weights(name, 5));
            });
            requireAll(names);
            fixture.parameters.gatherOwned(fixture.queue(), DType.FP64, run -> null, (name, whole) -> {});
        }
        assertEquals(
                before,
                fixture.bench.books().live(MemoryCategory.COMMUNICATION),
                "bytes for communication after gatherOwned()");
        // The weights stay as they were.
        fixture.requireForward(5, types);
    }

    /** Otherwise a strategy whose parameters do not move would pass by chance. */
    private void requireMovable(DataFixture fixture) {
        assertEquals(
                movable(),
                fixture.parameters.isMovable(),
                "isMovable() (expected: what movable() of the test returns)");
    }

    private static void requireAll(List<String> names) {
        List<String> expected = FixtureBlocks.PARAMETERS.stream()
                .map(ParameterSpec::name)
                .sorted()
                .toList();
        assertEquals(expected, names.stream().sorted().toList(), "parameters that gatherOwned() passes");
    }

    private static void requireElements(
            DataFixture fixture, String name, Tensor whole, long elements, LongToDoubleFunction values) {
        assertEquals(elements, whole.elements(), () -> "elements of " + name);
        double[] found = fixture.bench.read(whole);
        for (int i = 0; i < found.length; i++) {
            int element = i;
            assertEquals(
                    HostValues.rounded(whole.dtype(), values.applyAsDouble(i)),
                    found[i],
                    () -> "element " + element + " of " + name);
        }
    }

    @Clause(
            value = "rehearseGatherOwned() allocates as much as gatherOwned() needs, and frees it",
            remedy = "rehearseGatherOwned(): without it, a change that does not fit fails after it began")
    default void rehearsalCoversGatherOwned() {
        for (int ranks : ranks()) {
            DataFixture.alone(this, backend(), ranks, 0, fixture -> {
                fixture.update(0);
                requireMovable(fixture);
                if (!movable()) {
                    return;
                }
                // Or a gather of weights in flight might end in between.
                fixture.forward();
                for (DType dtype : List.of(DType.FP32, DType.FP64)) {
                    var books = fixture.bench.books();
                    var live = books.live();
                    books.takePeak();
                    fixture.parameters.rehearseGatherOwned(dtype);
                    assertEquals(live, books.live(), "bytes after rehearseGatherOwned()");
                    long rehearsed = books.takePeak();
                    fixture.parameters.gatherOwned(fixture.queue(), dtype, run -> null, (name, whole) -> {});
                    long taken = books.takePeak();
                    assertTrue(
                            taken <= rehearsed,
                            () -> ranks + " ranks, " + dtype + ": gatherOwned() allocated " + taken
                                    + " bytes at once, and its rehearsal " + rehearsed);
                }
            });
        }
    }

    @Clause(
            value =
                    "A strategy that takes parameters over keeps their values, and changes nothing before its Runnable runs",
            remedy =
                    "takeOver(): empty if shards, buckets or dtypes differ from the present ones; otherwise only options that apply from the next step on")
    default void takesOverInPlace() {
        var others = new ArrayList<DataParallel>(sameBits());
        others.add(strategy());
        for (int ranks : ranks()) {
            for (DataParallel next : others) {
                DataRanks.of(this, ranks).run(fixture -> {
                    fixture.parameters.allocateGradients();
                    fixture.update(0);
                    fixture.accumulate(0, 1, false);
                    fixture.update(1);
                    var live = fixture.bench.books().live();
                    Optional<Runnable> change = next.takeOver(fixture.parameters);
                    assertEquals(
                            changesInPlace(),
                            change.isPresent(),
                            "whether takeOver() accepts the parameters (expected: what changesInPlace() of the test returns)");
                    assertEquals(live, fixture.bench.books().live(), "bytes after takeOver()");
                    fixture.requireForward(1, Map.of());
                    if (change.isPresent()) {
                        change.get().run();
                        fixture.requireMasters(1);
                        fixture.requireForward(1, Map.of());
                        fixture.update(2);
                        fixture.requireForward(2, Map.of());
                    }
                    return null;
                });
            }
        }
    }

    @Clause(
            value = "Parameters that a strategy of another bundle has bound are not taken over",
            remedy =
                    "takeOver(): test the class of the parameters, and return empty for all that are not yours; the trainer then gathers and moves them")
    default void foreignParametersAreNotTakenOver() {
        Object foreign = Proxy.newProxyInstance(
                ShardedParameters.class.getClassLoader(),
                new Class<?>[] {ShardedParameters.class},
                (proxy, method, arguments) -> {
                    throw new AssertionError(
                            method.getName() + "() was called, of parameters that another bundle has bound");
                });
        Optional<Runnable> change = strategy().takeOver((ShardedParameters) foreign);
        assertTrue(change.isEmpty(), "takeOver() accepts them");
    }
}
