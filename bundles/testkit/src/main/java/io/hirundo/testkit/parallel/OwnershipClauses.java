package io.hirundo.testkit.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.parallel.DataFixture.Run;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** Which parameters there are, and who owns their elements. */
public interface OwnershipClauses extends DataParallelOffer {
    @Clause(
            value = "parameters() lists every declared parameter once, in declaration order, with its specification",
            remedy = "parameters() of ShardedParameters; a parameter that several blocks name is one parameter")
    default void parametersAreThoseDeclared() {
        DataRanks.each(this, fixture -> {
            List<ParameterSpec> listed = fixture.parameters.parameters().stream()
                    .map(Parameter::spec)
                    .toList();
            assertEquals(FixtureBlocks.PARAMETERS, listed, "parameters");
        });
    }

    @Clause(
            value =
                    "Every element of every parameter has exactly one owner in each shard group, in at most one run of the parameter on each rank",
            remedy =
                    "owned(): firstElement() counts in elements of the row-major parameter; the last run ends with the parameter, without padding")
    default void everyElementHasOneOwner() {
        for (int ranks : ranks()) {
            List<List<Run>> owned = DataRanks.of(this, ranks).run(fixture -> {
                for (Parameter run : fixture.parameters.owned()) {
                    Tensor value = run.value();
                    assertEquals(
                            weightType(),
                            value.dtype(),
                            () -> "dtype of the master weights of " + run.spec().name());
                    assertEquals(
                            FixtureBlocks.named(run.spec().name()).shape(),
                            run.spec().shape(),
                            () -> "shape of the specification of " + run.spec().name());
                }
                return fixture.owned(Parameter::value);
            });
            int shardSize = strategy().shardSize(ranks);
            for (int first = 0; first < ranks; first += shardSize) {
                requireOneOwner(
                        owned.subList(first, first + shardSize),
                        "ranks " + first + " to " + (first + shardSize - 1) + " of " + ranks);
            }
        }
    }

    private static void requireOneOwner(List<List<Run>> owned, String where) {
        for (ParameterSpec spec : FixtureBlocks.PARAMETERS) {
            var owners = new int[(int) spec.shape().elements()];
            for (List<Run> rank : owned) {
                List<Run> runs = rank.stream()
                        .filter(run -> run.spec().name().equals(spec.name()))
                        .toList();
                assertTrue(runs.size() <= 1, () -> where + ": a rank owns " + runs.size() + " runs of " + spec.name());
                for (Run run : runs) {
                    long end = run.firstElement() + run.values().length;
                    assertTrue(
                            run.firstElement() >= 0 && end <= owners.length,
                            () -> where + ": elements " + run.firstElement() + " to " + end + " of " + spec.name()
                                    + " are owned, which has " + owners.length);
                    for (long element = run.firstElement(); element < end; element++) {
                        owners[(int) element]++;
                    }
                }
            }
            for (int element = 0; element < owners.length; element++) {
                int found = owners[element];
                int of = element;
                assertEquals(1, found, () -> where + ": owners of element " + of + " of " + spec.name());
            }
        }
    }

    @Clause(
            value =
                    "Where an optimizer needs complete matrices, or runs of whole blocks, one rank owns them so, or bind() rejects it on all ranks",
            remedy =
                    "bind() with an ownership: Ownership.TENSOR and BLOCKS; the default rejects both, so remove an override that ignores them")
    default void ownershipIsKept() {
        for (Ownership needed : List.of(Ownership.TENSOR, Ownership.BLOCKS)) {
            for (int ranks : ranks()) {
                var runs =
                        new DataRanks(this, strategy(), ranks, spec -> spec.isMatrix() ? needed : Ownership.ELEMENTS);
                if (!runs.isRejected()) {
                    List<List<Run>> owned = runs.run(fixture -> fixture.owned(Parameter::value));
                    owned.stream()
                            .flatMap(List::stream)
                            .filter(run -> run.spec().isMatrix())
                            .forEach(run -> requireKept(run, needed, ranks));
                }
            }
        }
    }

    private static void requireKept(Run run, Ownership needed, int ranks) {
        long end = run.firstElement() + run.values().length;
        long all = run.spec().shape().elements();
        boolean kept = needed == Ownership.TENSOR
                ? run.firstElement() == 0 && end == all
                : run.firstElement() % Ownership.BLOCK_ELEMENTS == 0
                        && (end == all || end % Ownership.BLOCK_ELEMENTS == 0);
        assertTrue(
                kept,
                () -> "the optimizer needs " + needed + ", and one of " + ranks + " ranks owns elements "
                        + run.firstElement() + " to " + end + " of the " + all + " of "
                        + run.spec().name());
    }

    @Clause(
            value =
                    "The squares of owned gradients, of first replicas alone, add up to the squared norm of the complete gradient",
            remedy =
                    "Replicas of the parts of owned(): with hybrid sharding they list the ranks of other shard groups that own the same elements")
    default void gradientNormCountsEachElementOnce() {
        for (int ranks : ranks()) {
            double expected = 0;
            for (FixtureBlocks.Sums sums : FixtureBlocks.sums(ranks, 1, 1).values()) {
                for (double sum : sums.values()) {
                    expected += sum * sum;
                }
            }
            List<List<Run>> owned = DataRanks.of(this, ranks).run(fixture -> {
                fixture.parameters.allocateGradients();
                fixture.update(1);
                fixture.accumulate(1, 1, false);
                return fixture.ownedGradients();
            });
            double found = owned.stream()
                    .flatMap(List::stream)
                    .mapToDouble(OwnershipClauses::squares)
                    .sum();
            assertEquals(
                    expected, found, Math.max(4 * tolerance(), 1e-6) * expected, ranks + " ranks: the squared norm");
        }
    }

    /** Of the elements that no replica before this one counts. */
    private static double squares(Run run) {
        var parts = new ArrayList<ParameterPart>();
        run.spec().parts().forEach(part -> {
            for (long element = 0; element < part.shape().elements(); element++) {
                parts.add(part);
            }
        });
        double squares = 0;
        for (int i = 0; i < run.values().length; i++) {
            ParameterPart part = parts.get((int) run.firstElement() + i);
            squares += part.replicas().isFirst() ? run.values()[i] * run.values()[i] : 0;
        }
        return squares;
    }

    @Clause(
            value = "shardSize() returns a divisor of the number of ranks, or rejects the number",
            remedy = "shardSize(): throw a ConfigurationException for a number of ranks that it cannot divide")
    default void shardSizeDividesTheRanks() {
        var accepted = new HashSet<Integer>();
        for (int ranks = 1; ranks <= 16; ranks++) {
            try {
                int size = strategy().shardSize(ranks);
                int all = ranks;
                assertTrue(size >= 1 && ranks % size == 0, () -> "shardSize(" + all + ") is " + size);
                accepted.add(ranks);
            } catch (ConfigurationException rejected) {
                assertTrue(!rejected.getMessage().isBlank(), "the rejection of " + ranks + " ranks has no message");
            }
        }
        assertTrue(
                accepted.containsAll(ranks()),
                () -> "shardSize() accepts " + accepted + " of the ranks that the test names: " + ranks());
    }
}
