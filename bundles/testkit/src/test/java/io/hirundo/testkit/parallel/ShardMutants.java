package io.hirundo.testkit.parallel;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.model.parameter.Replicas;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.parallel.DataParallelMutantsTest.Sound;
import io.hirundo.testkit.parallel.DataParallelMutantsTest.SoundWithReplicas;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Data-parallel strategies with one defect each in owners and moves. */
class ShardMutants {
    private ShardMutants() {}

    @Breaks("parametersAreThoseDeclared")
    @HirundoContract
    static class ListsTheLastFirst extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public List<Parameter> parameters() {
                    return super.parameters().reversed();
                }
            };
        }
    }

    @Breaks({"everyElementHasOneOwner", "gradientNormCountsEachElementOnce"})
    @HirundoContract
    static class OwnsARunTwice extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public List<Parameter> owned() {
                    var runs = new ArrayList<>(super.owned());
                    runs.add(runs.getFirst());
                    return runs;
                }
            };
        }
    }

    @Breaks("ownershipIsKept")
    @HirundoContract
    static class IgnoresOwnership extends Sound {
        @Override
        public DataParallel strategy() {
            return new EvenSlices() {
                @Override
                public ShardedParameters bind(
                        Device device,
                        ProcessGroup group,
                        List<List<ParameterSpec>> blocks,
                        DType parameterType,
                        Function<ParameterSpec, Ownership> ownership) {
                    return bind(device, group, blocks, parameterType);
                }
            };
        }
    }

    /** The others wait for it. */
    @Breaks({"gatherOwnedHasEveryElement", "ownershipIsKept"})
    @HirundoContract
    static class RejectsOwnershipOnOneRank extends Sound {
        @Override
        public DataParallel strategy() {
            return new EvenSlices() {
                @Override
                public ShardedParameters bind(
                        Device device,
                        ProcessGroup group,
                        List<List<ParameterSpec>> blocks,
                        DType parameterType,
                        Function<ParameterSpec, Ownership> ownership) {
                    return group.rank() == 0
                            ? super.bind(device, group, blocks, parameterType, ownership)
                            : bind(device, group, blocks, parameterType);
                }
            };
        }
    }

    @Breaks("gradientNormCountsEachElementOnce")
    @HirundoContract
    static class ListsNoReplicas extends SoundWithReplicas {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                Replicas replicas() {
                    return Replicas.NONE;
                }
            };
        }
    }

    @Breaks("shardSizeDividesTheRanks")
    @HirundoContract
    static class DividesBadly extends Sound {
        @Override
        public DataParallel strategy() {
            return new EvenSlices() {
                @Override
                public int shardSize(int ranks) {
                    return ranks > 4 ? 4 : ranks;
                }
            };
        }
    }

    @Breaks("gatherOwnedHasEveryElement")
    @HirundoContract
    static class GathersItsOwn extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void gatherOwned(
                        Queue queue,
                        DType dtype,
                        Function<Parameter, Tensor> ofOwned,
                        BiConsumer<String, Tensor> reader) {
                    super.gatherOwned(queue, dtype, ofOwned, (name, whole) -> {
                        device.kernels()
                                .elementwise()
                                .fill(
                                        queue,
                                        whole.view(0, Shape.of(1)),
                                        groups.shard().rank());
                        reader.accept(name, whole);
                    });
                }
            };
        }
    }

    @Breaks({"gatherOwnedHasEveryElement", "rehearsalCoversGatherOwned"})
    @HirundoContract
    static class MovesNothing extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public boolean isMovable() {
                    return false;
                }
            };
        }
    }

    @Breaks("rehearsalCoversGatherOwned")
    @HirundoContract
    static class RehearsesNoGather extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void rehearseGatherOwned(DType dtype) {}
            };
        }
    }

    @Breaks("takesOverInPlace")
    @HirundoContract
    static class TakesOverWithOtherWeights extends Sound {
        @Override
        public DataParallel strategy() {
            return new EvenSlices() {
                @Override
                public Optional<Runnable> takeOver(ShardedParameters present) {
                    return super.takeOver(present).map(change -> () -> {
                        var parameters = (SlicedParameters) present;
                        try (Queue queue = parameters.device.newQueue("reset")) {
                            parameters
                                    .owned()
                                    .forEach(run -> parameters
                                            .device
                                            .kernels()
                                            .elementwise()
                                            .fill(queue, run.value(), 1));
                        }
                    });
                }
            };
        }
    }

    @Breaks("takesOverInPlace")
    @HirundoContract
    static class NeverTakesOver extends Sound {
        @Override
        public DataParallel strategy() {
            return new EvenSlices() {
                @Override
                public Optional<Runnable> takeOver(ShardedParameters present) {
                    return Optional.empty();
                }
            };
        }
    }

    @Breaks("foreignParametersAreNotTakenOver")
    @HirundoContract
    static class TakesOverEverything extends Sound {
        @Override
        public DataParallel strategy() {
            return new EvenSlices() {
                @Override
                public Optional<Runnable> takeOver(ShardedParameters present) {
                    return Optional.of(() -> {});
                }
            };
        }
    }
}
