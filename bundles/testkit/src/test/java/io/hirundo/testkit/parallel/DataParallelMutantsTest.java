package io.hirundo.testkit.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.DataParallelContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Data-parallel strategies with one defect each in gradients; {@link CollectiveMutants}, {@link WeightMutants} and {@link ShardMutants} have those in waiting
 * for collectives, in weights, memory, owners and moves.
 */
class DataParallelMutantsTest {
    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(
                List.of(
                        DataParallelMutantsTest.class,
                        CollectiveMutants.class,
                        ShardMutants.class,
                        WeightMutants.class),
                DataParallelContract.class);
    }

    @Test
    void correctStrategiesPass() {
        assertEquals(Map.of(), Mutants.failures(SoundOnSomeRanks.class));
        assertEquals(Map.of(), Mutants.failures(SoundWithReplicas.class));
    }

    @HirundoContract
    static class Sound implements DataParallelContract {
        @Override
        public DataParallel strategy() {
            return new EvenSlices() {
                @Override
                SlicedParameters slices(
                        Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType parameterType) {
                    return mutant(device, groups, blocks, parameterType);
                }
            };
        }

        @Override
        public List<Integer> ranks() {
            return List.of(2);
        }

        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type);
        }
    }

    @HirundoContract
    static class SoundOnSomeRanks extends Sound {
        @Override
        public List<Integer> ranks() {
            return List.of(1, 2, 3, 8);
        }
    }

    @HirundoContract
    static class SoundWithReplicas extends Sound {
        @Override
        public List<Integer> ranks() {
            return List.of(4);
        }

        @Override
        public DataParallel strategy() {
            return new EvenSlices() {
                @Override
                public int shardSize(int ranks) {
                    return ranks % 2 == 0 ? 2 : ranks;
                }

                @Override
                SlicedParameters slices(
                        Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType parameterType) {
                    return mutant(device, groups, blocks, parameterType);
                }
            };
        }
    }

    @Breaks({
        "gradientsAreSummedOverRanks",
        "microbatchesAccumulate",
        "halvesOfTheBackwardMayBeApart",
        "sumsOfOtherAxesEndFirst",
        "releasedGradientsReturnZeroed",
        "gradientNormCountsEachElementOnce",
        "forwardOnlyBlocksHaveGradients"
    })
    @HirundoContract
    static class AveragesOverRanks extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void finishGradients(Queue queue) {
                    super.finishGradients(queue);
                    all.forEach(
                            whole -> device.kernels().elementwise().scale(queue, whole.gradient, 1.0 / groups.ranks()));
                }
            };
        }
    }

    /** Each forward begins with gradients of zero. */
    @Breaks({"microbatchesAccumulate", "forwardOnlyBlocksHaveGradients"})
    @HirundoContract
    static class KeepsTheLastMicrobatch extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public boolean before(Queue queue, int block, Action.Kind kind) {
                    if (block == 1 && kind == Action.Kind.FORWARD && all.get(1).gradient != null) {
                        device.kernels().elementwise().fill(queue, all.get(1).gradient, 0);
                    }
                    return super.before(queue, block, kind);
                }
            };
        }
    }

    @Breaks({"halvesOfTheBackwardMayBeApart", "forwardOnlyBlocksHaveGradients"})
    @HirundoContract
    static class ForgetsTheInputHalf extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                private int running;

                @Override
                public boolean before(Queue queue, int block, Action.Kind kind) {
                    if (kind == Action.Kind.BACKWARD_WEIGHT
                            && running == 0
                            && block == 1
                            && all.get(1).gradient != null) {
                        device.kernels().elementwise().fill(queue, all.get(1).gradient, 0);
                    }
                    running++;
                    return super.before(queue, block, kind);
                }

                @Override
                public void after(Queue queue, int block, Action.Kind kind) {
                    running--;
                }
            };
        }
    }

    /** As if a block that reads no weights had no gradients. */
    @Breaks("forwardOnlyBlocksHaveGradients")
    @HirundoContract
    static class SkipsBlocksThatReadNoWeights extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                private Set<Integer> forwardOnly = Set.of();

                @Override
                public void readInForwardOnly(Set<Integer> named) {
                    forwardOnly = named;
                }

                @Override
                public void after(Queue queue, int block, Action.Kind kind) {
                    super.after(queue, block, kind);
                    if (kind == Action.Kind.BACKWARD_WEIGHT
                            && forwardOnly.contains(block)
                            && all.get(block).gradient != null) {
                        device.kernels().elementwise().fill(queue, all.get(block).gradient, 0);
                    }
                }
            };
        }
    }

    @Breaks("sumsOfOtherAxesEndFirst")
    @HirundoContract
    static class IgnoresSumsOfOtherAxes extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void gradientReady(Queue queue, Parameter parameter, List<Pending> before) {
                    super.gradientReady(queue, parameter, List.of());
                }
            };
        }
    }

    @Breaks("releasedGradientsReturnZeroed")
    @HirundoContract
    static class LeavesNewGradientsUndefined extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void zeroGradients(Queue queue) {
                    if (all.getFirst().gradient == null) {
                        allocateGradients();
                    } else {
                        super.zeroGradients(queue);
                    }
                }
            };
        }
    }

    /** With overlap, gradients are another number in the last bit. */
    @Breaks("overlapChangesNoBit")
    @HirundoContract
    static class OverlapRounds extends Sound {
        @Override
        public List<DataParallel> sameBits() {
            return List.of(new EvenSlices() {
                @Override
                SlicedParameters slices(
                        Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType parameterType) {
                    return new SlicedParameters(device, groups, blocks, parameterType) {
                        @Override
                        public void finishGradients(Queue queue) {
                            super.finishGradients(queue);
                            all.forEach(
                                    whole -> device.kernels().elementwise().scale(queue, whole.gradient, 1 + 0x1p-22));
                        }
                    };
                }
            });
        }
    }

    @Breaks("closesAfterItsCollectives")
    @HirundoContract
    static class ClosesAtOnce extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void close() {
                    gathers.clear();
                    sums.clear();
                    super.close();
                }
            };
        }
    }

    @Breaks("oneRankCommunicatesNothing")
    @HirundoContract
    static class SendsToItself extends Sound {
        @Override
        public List<Integer> ranks() {
            return List.of(1);
        }

        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                boolean communicates() {
                    return true;
                }
            };
        }
    }
}
