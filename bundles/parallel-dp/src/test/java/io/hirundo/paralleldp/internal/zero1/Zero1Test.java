package io.hirundo.paralleldp.internal.zero1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Event;
import io.hirundo.mesh.Pending;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.fixture.Model;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks.Rank;
import io.hirundo.paralleldp.internal.fixture.Wire;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What ranks send each other, and when. */
class Zero1Test {
    @Test
    void reduceScattersStartDuringTheBackwardAndGathersAreSequential() throws Exception {
        // Buckets from behind: norm, down.1 (384); up.1, norm.1 (384); down.0, up.0 (744); norm.0 and the embedding
        // (456).
        var overlapped = new Wire(2);
        oneStep(overlapped, new Zero1Options(380, true, true, true));
        var afterwards = new Wire(2);
        oneStep(afterwards, new Zero1Options(380, false, false, true));

        assertEquals(
                List.of(
                        "all-gather 512",
                        "all-gather 768",
                        "all-gather 384",
                        "all-gather 384",
                        "reduce-scatter 384",
                        "reduce-scatter 384",
                        "reduce-scatter 768",
                        "reduce-scatter 512"),
                overlapped.log());
        assertEquals(overlapped.log(), afterwards.log());
    }

    @Test
    void sendsABucketOnceItsLastParameterIsReady() throws Exception {
        var shared = new Wire(2);
        ThreadRanks.run(2, shared, rank -> {
            try (ShardedParameters parameters = bind(rank, new Zero1Options(380, true, true, true))) {
                parameters.allocateGradients();
                parameters.zeroGradients(rank.queue());
                ready(parameters, rank, "norm");
                assertEquals(0, shared.joined(rank.group()));
                var before = new AtomicInteger();
                Pending first = () -> counted(before);
                parameters.gradientReady(rank.queue(), Model.named(parameters, "down.1"), List.of(first, first));
                assertEquals(2, before.get(), "what must come before has been waited for");
                assertEquals(1, shared.joined(rank.group()));
                assertThrows(IllegalStateException.class, () -> ready(parameters, rank, "norm"));
                var missing = assertThrows(IllegalStateException.class, () -> parameters.finishGradients(rank.queue()));
                assertTrue(missing.getMessage().contains("up.1"), missing.getMessage());
                return null;
            }
        });
    }

    private static Event counted(AtomicInteger waits) {
        return new Event() {
            @Override
            public boolean hasHappened() {
                return false;
            }

            @Override
            public void await() {
                waits.incrementAndGet();
            }
        };
    }

    static ShardedParameters bind(Rank rank, Zero1Options options) {
        ShardedParameters parameters =
                new Zero1Factory().create(options).bind(rank.device(), rank.group(), Model.BLOCKS, DType.FP64);
        parameters.hold(Map.of());
        return parameters;
    }

    private static void oneStep(Wire wire, Zero1Options options) throws Exception {
        ThreadRanks.run(wire.ranks(), wire, rank -> {
            try (ShardedParameters parameters = bind(rank, options)) {
                parameters.allocateGradients();
                Model.step(parameters, rank, 0);
                return null;
            }
        });
    }

    private static void ready(ShardedParameters parameters, Rank rank, String name) {
        parameters.gradientReady(rank.queue(), Model.named(parameters, name), List.of());
    }
}
