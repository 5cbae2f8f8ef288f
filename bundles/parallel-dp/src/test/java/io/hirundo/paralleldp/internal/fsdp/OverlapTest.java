package io.hirundo.paralleldp.internal.fsdp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Queue;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.fixture.ClockedGroup;
import io.hirundo.paralleldp.internal.fixture.Model;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks;
import io.hirundo.paralleldp.internal.fixture.Wire;
import io.hirundo.paralleldp.internal.zero1.Zero1;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How much of a step transfers take in addition to the work, on the clock of {@link ClockedGroup}. */
class OverlapTest {
    private static final int BLOCKS = 16;
    private static final double FORWARD_MILLIS = 8;
    private static final double BACKWARD_MILLIS = 16;
    private static final double MESSAGE_MILLIS = 5;

    private static final List<List<ParameterSpec>> MODEL = IntStream.range(0, BLOCKS)
            .mapToObj(block -> List.of(Model.spec("block." + block, 16, 16)))
            .toList();

    @Test
    void zero1WaitsOnlyForTheFirstGatherAndTheLastReduceScatter() throws Exception {
        assertEquals(
                2 * BLOCKS * MESSAGE_MILLIS,
                messageMillis(new Zero1(new Zero1Options(1, false, false, true))),
                "gathers and sums");
        assertEquals(2 * MESSAGE_MILLIS, messageMillis(new Zero1(new Zero1Options(1, true, true, true))));
        assertEquals((BLOCKS + 1) * MESSAGE_MILLIS, messageMillis(new Zero1(new Zero1Options(1, true, false, true))));
        assertEquals((BLOCKS + 1) * MESSAGE_MILLIS, messageMillis(new Zero1(new Zero1Options(1, false, true, true))));
    }

    @Test
    void fsdpWaitsOnlyForTheFirstGatherAndTheLastReduceScatter() throws Exception {
        assertEquals(
                (3 * BLOCKS - 1) * MESSAGE_MILLIS,
                messageMillis(new Fsdp(new FsdpOptions(false, true))),
                "gathers of both directions, the last block's once; sums");
        assertEquals(2 * MESSAGE_MILLIS, messageMillis(new Fsdp(new FsdpOptions(true, true))));
    }

    @Test
    void fsdpGathersOnceWhatOnlyTheForwardReads() throws Exception {
        assertEquals(
                (3 * BLOCKS - 2) * MESSAGE_MILLIS, messageMillis(new Fsdp(new FsdpOptions(false, true)), Set.of(0)));
    }

    private static double messageMillis(DataParallel strategy) throws Exception {
        return messageMillis(strategy, Set.of());
    }

    private static double messageMillis(DataParallel strategy, Set<Integer> forwardOnly) throws Exception {
        return ThreadRanks.run(1, new Wire(1), rank -> {
                    var group = new ClockedGroup(MESSAGE_MILLIS);
                    try (ShardedParameters parameters = strategy.bind(rank.device(), group, MODEL, DType.FP32)) {
                        parameters.allocateGradients();
                        parameters.readInForwardOnly(forwardOnly);
                        step(parameters, rank.queue(), group);
                        return group.nowMillis() - BLOCKS * (FORWARD_MILLIS + BACKWARD_MILLIS);
                    }
                })
                .getFirst();
    }

    private static void step(ShardedParameters parameters, Queue queue, ClockedGroup clock) {
        parameters.weightsChanged(queue);
        parameters.zeroGradients(queue);
        for (int block = 0; block < BLOCKS; block++) {
            parameters.before(queue, block, Kind.FORWARD);
            clock.work(FORWARD_MILLIS);
            parameters.after(queue, block, Kind.FORWARD);
        }
        for (int block = BLOCKS - 1; block >= 0; block--) {
            parameters.before(queue, block, Kind.BACKWARD_INPUT);
            clock.work(BACKWARD_MILLIS);
            parameters.after(queue, block, Kind.BACKWARD_INPUT);
            parameters.gradientReady(queue, parameters.parameters().get(block), List.of());
        }
        parameters.finishGradients(queue);
    }
}
