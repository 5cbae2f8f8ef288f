package io.hirundo.testkit.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hirundo.CommunicationException;
import io.hirundo.ConfigurationException;
import io.hirundo.lib.fabric.local.LocalFabric;
import io.hirundo.mesh.Fabric;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.testkit.fabric.Rank;
import io.hirundo.testkit.fabric.Ranks;
import io.hirundo.testkit.fabric.Ranks.Outcome;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Ranks along the data axis that are threads, each with a {@link DataFixture}.
 *
 * @param ownership what the optimizer needs
 */
record DataRanks(
        DataParallelOffer offer, DataParallel strategy, int ranks, Function<ParameterSpec, Ownership> ownership) {
    /** Less than {@link Ranks} waits for a rank, so that a collective that a rank does not join says so and ends all ranks. */
    private static final int TIMEOUT_SECONDS = 20;

    static DataRanks of(DataParallelOffer offer, int ranks) {
        return of(offer, offer.strategy(), ranks);
    }

    static DataRanks of(DataParallelOffer offer, DataParallel strategy, int ranks) {
        return new DataRanks(offer, strategy, ranks, spec -> Ownership.ELEMENTS);
    }

    /** The same on each number of ranks that is tested. */
    static void each(DataParallelOffer offer, Consumer<DataFixture> program) {
        for (int ranks : offer.ranks()) {
            of(offer, ranks).run(fixture -> {
                program.accept(fixture);
                return null;
            });
        }
    }

    /** Results in rank order; the failure that ended the others, if there is one. */
    <T> List<T> run(Function<DataFixture, T> program) {
        return onEachRank(rank -> {
            try (DataFixture fixture = bind(rank)) {
                return program.apply(fixture);
            }
        });
    }

    /** Whether the strategy rejects the ownership when it binds parameters. All ranks must do the same. */
    boolean isRejected() {
        List<Boolean> rejected = onEachRank(rank -> {
            try (DataFixture fixture = bind(rank)) {
                return false;
            } catch (ConfigurationException expected) {
                return true;
            }
        });
        assertEquals(
                1,
                Set.copyOf(rejected).size(),
                () -> "bind() rejects the ownership on some ranks only, by rank: " + rejected);
        assertFalse(ranks == 1 && rejected.getFirst(), "bind() rejects an ownership where one rank owns everything");
        return rejected.getFirst();
    }

    private DataFixture bind(Rank rank) {
        return DataFixture.bind(offer, strategy, rank.bench(), rank.world(), ownership);
    }

    private <T> List<T> onEachRank(Function<Rank, T> program) {
        List<Fabric> fabrics = Collections.nCopies(ranks, new LateFabric(new LocalFabric(TIMEOUT_SECONDS)));
        List<Outcome<T>> outcomes = new Ranks(
                        Ranks.mesh(1, 1, ranks), fabrics, offer.backend(), world -> List.of(), true)
                .outcomes(program::apply);
        outcomes.stream()
                .map(Outcome::failure)
                .filter(Objects::nonNull)
                // A rank that fails ends the collectives of the others.
                .min(Comparator.comparing(failure -> failure instanceof CommunicationException))
                .ifPresent(failure -> {
                    String text = failure instanceof AssertionError ? failure.getMessage() : failure.toString();
                    throw new AssertionError("with " + ranks + (ranks == 1 ? " rank: " : " ranks: ") + text, failure);
                });
        return outcomes.stream().map(Outcome::value).toList();
    }
}
