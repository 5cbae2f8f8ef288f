package io.hirundo.paralleldp.internal.weights;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.fixture.LocalNetwork;
import io.hirundo.paralleldp.internal.fixture.Model;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks.Rank;
import io.hirundo.paralleldp.internal.fsdp.FsdpFactory;
import io.hirundo.paralleldp.internal.fsdp.FsdpOptions;
import io.hirundo.paralleldp.internal.fsdp.Zero2Factory;
import io.hirundo.paralleldp.internal.fsdp.Zero2Options;
import io.hirundo.paralleldp.internal.zero1.Zero1Factory;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.DType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Weights that layers read in another dtype than that of their masters: values, and the memory that they take. */
class WeightFormsTest {
    private static final Map<String, DType> ALL_BF16 = types("");
    /** The matrices named up are read as their owners hold them. */
    private static final Map<String, DType> SOME_BF16 = types("up");

    private static Map<String, DType> types(String butNot) {
        var types = new HashMap<String, DType>();
        Model.BLOCKS.stream()
                .flatMap(List::stream)
                .map(ParameterSpec::name)
                .filter(name -> butNot.isEmpty() || !name.startsWith(butNot))
                .forEach(name -> types.put(name, DType.BF16));
        return Map.copyOf(types);
    }

    private static final DataParallel ZERO1 = new Zero1Factory().create(new Zero1Options(1 << 30, true, true, true));
    private static final DataParallel ZERO2 = new Zero2Factory().create(new Zero2Options());
    private static final DataParallel FSDP = new FsdpFactory().create(new FsdpOptions());

    static Stream<Arguments> strategies() {
        return Stream.of(1, 3)
                .flatMap(ranks -> Stream.of(
                        Arguments.of(ranks, ZERO1),
                        Arguments.of(ranks, new Zero1Factory().create(new Zero1Options(380, true, false, true))),
                        Arguments.of(ranks, ZERO2),
                        Arguments.of(ranks, new Zero2Factory().create(new Zero2Options(false, true))),
                        Arguments.of(ranks, FSDP),
                        Arguments.of(ranks, new FsdpFactory().create(new FsdpOptions(false, true)))));
    }

    /**
     * {@code elements}: of all layouts, with padding; {@code fixed} and {@code shared}: bytes of an element's weights on each rank, and of
     * those that the ranks share.
     */
    record Sizes(
            DataParallel strategy,
            Map<String, DType> types,
            long elements,
            long fixed,
            long shared,
            boolean gradientsShared) {}

    static Stream<Sizes> sizes() {
        return Stream.of(
                new Sizes(ZERO1, Map.of(), 2048, 4, 0, false),
                new Sizes(ZERO1, ALL_BF16, 2048, 2, 4, false),
                new Sizes(ZERO2, Map.of(), 512 + 2 * 768 + 128, 4, 0, true),
                new Sizes(ZERO2, ALL_BF16, 512 + 2 * 768 + 128, 2, 4, true),
                new Sizes(FSDP, Map.of(), 512 + 2 * 768 + 128, 0, 4, true),
                new Sizes(FSDP, ALL_BF16, 512 + 2 * 768 + 128, 0, 4, true));
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void memoryIsThatOfTheFormula(Sizes sizes) throws Exception {
        for (int ranks : new int[] {1, 2, 4}) {
            ThreadRanks.run(ranks, new LocalNetwork(ranks), rank -> {
                try (ShardedParameters parameters =
                        sizes.strategy.bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP32)) {
                    parameters.hold(sizes.types);
                    parameters.allocateGradients();
                    for (int step = 0; step < 2; step++) {
                        setOwned(parameters, step);
                        parameters.weightsChanged(rank.queue());
                        parameters.zeroGradients(rank.queue());
                        read(parameters, rank, sizes.types, step);
                    }
                    long weights = sizes.elements * sizes.fixed + sizes.elements * sizes.shared / ranks;
                    assertEquals(weights, rank.books().peak(MemoryCategory.WEIGHTS));
                    long gradients = sizes.elements * 4 / (sizes.gradientsShared ? ranks : 1);
                    assertEquals(gradients, rank.books().peak(MemoryCategory.GRADIENTS));
                    // A block and the next, in the dtype that layers read. A single rank copies one block, unless
                    // layers read the masters.
                    int bytes = sizes.types.isEmpty() ? 4 : 2;
                    int blocks = ranks > 1 ? 2 : sizes.types.isEmpty() ? 0 : 1;
                    assertEquals(
                            sizes.fixed > 0 ? 0 : blocks * 768 * bytes,
                            rank.books().peak(MemoryCategory.COMMUNICATION));
                }
                return null;
            });
        }
    }

    /** What a rehearsal takes is what the change then takes, up to the rounding of allocations: 512 bytes for each buffer. */
    @ParameterizedTest
    @MethodSource("strategies")
    void rehearsesWhatAChangeTakes(int ranks, DataParallel strategy) throws Exception {
        List<Map<String, DType>> forms = List.of(Map.of(), ALL_BF16, SOME_BF16);
        for (Map<String, DType> from : forms) {
            for (Map<String, DType> to : forms) {
                ThreadRanks.run(ranks, new LocalNetwork(ranks), rank -> {
                    try (ShardedParameters parameters =
                            strategy.bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP32)) {
                        parameters.hold(from);
                        setOwned(parameters, 0);
                        parameters.weightsChanged(rank.queue());
                        read(parameters, rank, from, 0);
                        rank.books().restartPeakTotal();
                        long before = rank.books().liveTotal();
                        parameters.rehearse(to, Map.of());
                        assertEquals(before, rank.books().liveTotal());
                        long rehearsedBytes = rank.books().peakTotal() - before;
                        rank.books().restartPeakTotal();
                        parameters.hold(to);
                        parameters.weightsChanged(rank.queue());
                        read(parameters, rank, to, 0);
                        long takenBytes = rank.books().peakTotal() - before;
                        assertTrue(
                                takenBytes <= rehearsedBytes,
                                from + " to " + to + ": " + takenBytes + " bytes, rehearsed " + rehearsedBytes);
                        assertTrue(
                                rehearsedBytes <= takenBytes + 512 * 8,
                                from + " to " + to + ": " + takenBytes + " bytes, rehearsed " + rehearsedBytes);
                    }
                    return null;
                });
            }
        }
    }

    private static void read(ShardedParameters parameters, Rank rank, Map<String, DType> types, int step) {
        for (int block = 0; block < Model.BLOCKS.size(); block++) {
            boolean changed = parameters.before(rank.queue(), block, Kind.FORWARD);
            assertTrue(changed, "prepared weights of block " + block + " are stale");
            for (Parameter parameter : Model.ofBlock(parameters, block)) {
                var value = (CpuTensor) parameter.value();
                String name = parameter.spec().name();
                DType dtype = types.getOrDefault(name, DType.FP32);
                assertEquals(dtype, value.dtype(), name);
                for (long i = 0; i < value.elements(); i++) {
                    float master = weight(name, i, step);
                    assertEquals(dtype == DType.BF16 ? roundedToBf16(master) : master, value.getDouble(i), name);
                }
            }
            parameters.after(rank.queue(), block, Kind.FORWARD);
            assertFalse(parameters.before(rank.queue(), block, Kind.FORWARD), "nothing has changed");
            parameters.after(rank.queue(), block, Kind.FORWARD);
        }
    }

    private static float weight(String name, long element, int step) {
        return (float) Model.gradient(name, element, 0, step);
    }

    /** To nearest, ties to even, of a finite number. */
    private static double roundedToBf16(float value) {
        int bits = Float.floatToRawIntBits(value);
        return Float.intBitsToFloat((bits + 0x7fff + (bits >>> 16 & 1)) & 0xffff0000);
    }

    private static void setOwned(ShardedParameters parameters, int step) {
        for (Parameter run : parameters.owned()) {
            var value = (CpuTensor) run.value();
            for (long i = 0; i < value.elements(); i++) {
                value.setDouble(i, weight(run.spec().name(), run.firstElement() + i, step));
            }
        }
    }
}
