package io.hirundo.testkit.parallel;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.parallel.DataParallelMutantsTest.Sound;
import java.util.List;

/** Data-parallel strategies that do not wait for a collective: right on a fast network, and wrong on a {@link LateFabric}. */
class CollectiveMutants {
    private CollectiveMutants() {}

    @Breaks({
        "forwardOnlyBlocksHaveGradients",
        "gatherOwnedHasEveryElement",
        "layersReadUpdatedWeights",
        "overlapChangesNoBit",
        "quantizedGathersMatchTheUnshardedWeight",
        "takesOverInPlace",
        "weightsHaveTheHeldDtype"
    })
    @HirundoContract
    static class ReadsBeforeTheGather extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public boolean before(Queue queue, int block, Action.Kind kind) {
                    boolean changed = stale[block];
                    stale[block] = false;
                    return changed;
                }
            };
        }
    }

    @Breaks({
        "forwardOnlyBlocksHaveGradients",
        "gradientNormCountsEachElementOnce",
        "gradientsAreSummedOverRanks",
        "halvesOfTheBackwardMayBeApart",
        "microbatchesAccumulate",
        "overlapChangesNoBit",
        "releasedGradientsReturnZeroed",
        "sumsOfOtherAxesEndFirst"
    })
    @HirundoContract
    static class FinishesBeforeItsSums extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void finishGradients(Queue queue) {}
            };
        }
    }

    /** The sum overwrites what it writes, unless a network still reads the operand. */
    @Breaks({
        "closesAfterItsCollectives",
        "forwardOnlyBlocksHaveGradients",
        "gradientNormCountsEachElementOnce",
        "gradientsAreSummedOverRanks",
        "gradientsHaveTheDeclaredType",
        "halvesOfTheBackwardMayBeApart",
        "microbatchesAccumulate",
        "overlapChangesNoBit",
        "releasedGradientsReturnZeroed",
        "sumsOfOtherAxesEndFirst",
        "takesOverInPlace"
    })
    @HirundoContract
    static class WritesToOperandsInFlight extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void gradientReady(Queue queue, Parameter parameter, List<Pending> before) {
                    super.gradientReady(queue, parameter, before);
                    device.kernels().elementwise().fill(queue, parameter.gradient(), 0);
                }
            };
        }
    }
}
