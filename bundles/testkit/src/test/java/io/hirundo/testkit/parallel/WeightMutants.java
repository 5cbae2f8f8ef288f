package io.hirundo.testkit.parallel;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.WeightCoding;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.parallel.DataParallelMutantsTest.Sound;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Data-parallel strategies with one defect each in what layers read, in dtypes, and in memory. */
class WeightMutants {
    private WeightMutants() {}

    /** A second update while a gather is in flight. */
    @Breaks("layersReadUpdatedWeights")
    @HirundoContract
    static class MissesAnUpdate extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void weightsChanged(Queue queue) {
                    if (gathers.isEmpty()) {
                        super.weightsChanged(queue);
                    }
                }
            };
        }
    }

    @Breaks("changedWeightsAreReported")
    @HirundoContract
    static class ReportsTheFirstUpdateAlone extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                private final boolean[] reported = new boolean[blocks.size()];

                @Override
                public boolean before(Queue queue, int block, Action.Kind kind) {
                    boolean first = super.before(queue, block, kind) && !reported[block];
                    reported[block] = true;
                    return first;
                }
            };
        }
    }

    @Breaks("changedWeightsAreReported")
    @HirundoContract
    static class AlwaysReportsAnUpdate extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public boolean before(Queue queue, int block, Action.Kind kind) {
                    super.before(queue, block, kind);
                    return true;
                }
            };
        }
    }

    /** As if masters were rounded together with what layers read. */
    @Breaks("weightsHaveTheHeldDtype")
    @HirundoContract
    static class RoundsMasters extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void hold(Map<String, DType> types) {
                    try (Queue queue = device.newQueue("rounding")) {
                        all.stream()
                                .filter(whole -> types.containsKey(whole.spec().name()))
                                .forEach(whole ->
                                        device.kernels().elementwise().scale(queue, whole.value(), 1 + 0x1p-9));
                    }
                }
            };
        }
    }

    @Breaks("holdTakesWhatItRehearsed")
    @HirundoContract
    static class RehearsesNothing extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void hold(Map<String, DType> types) {
                    if (!types.isEmpty()) {
                        device.allocate(MemoryCategory.COMMUNICATION, Shape.of(1000), DType.BF16)
                                .close();
                    }
                }
            };
        }
    }

    /** Each rank quantizes its slice with the amax of that slice. */
    @Breaks("quantizedGathersMatchTheUnshardedWeight")
    @HirundoContract
    static class QuantizesWithItsOwnAmax extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                private final Map<String, CodedWeight> coded = new HashMap<>();
                private Map<String, WeightCoding> codings = Map.of();

                @Override
                public void encode(Map<String, WeightCoding> wanted) {
                    codings = wanted;
                }

                @Override
                public void weightsChanged(Queue queue) {
                    super.weightsChanged(queue);
                    release();
                    for (Parameter run : owned()) {
                        WeightCoding coding = codings.get(run.spec().name());
                        if (coding != null) {
                            Tensor magnitudes =
                                    device.allocate(MemoryCategory.WEIGHTS, coding.magnitudes(), DType.FP32);
                            Tensor codes = device.allocate(
                                    MemoryCategory.WEIGHTS, run.value().shape(), coding.codeType());
                            device.kernels().elementwise().fill(queue, magnitudes, 0);
                            coding.measure(queue, run.value(), run.firstElement(), magnitudes);
                            coding.encode(queue, run.value(), run.firstElement(), magnitudes, codes);
                            coded.put(
                                    run.spec().name(),
                                    new CodedWeight(
                                            magnitudes, List.of(new CodedWeight.Run(run.firstElement(), codes))));
                        }
                    }
                }

                private void release() {
                    coded.values().forEach(weight -> {
                        weight.magnitudes().close();
                        weight.runs().forEach(run -> run.codes().close());
                    });
                    coded.clear();
                }

                @Override
                public Optional<CodedWeight> coded(String name) {
                    return Optional.ofNullable(coded.get(name));
                }

                @Override
                public void close() {
                    release();
                    super.close();
                }
            };
        }
    }

    @Breaks("gradientsHaveTheDeclaredType")
    @HirundoContract
    static class DeclaresAnotherType extends Sound {
        @Override
        public DataParallel strategy() {
            return new EvenSlices() {
                @Override
                public DType gradientType(DType parameterType, int ranks) {
                    return DType.BF16;
                }
            };
        }
    }

    @Breaks({"plansCountTheMemoryOfRuns", "stepTakesWhatItRehearsed"})
    @HirundoContract
    static class AllocatesWhereItComputes extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public void zeroGradients(Queue queue) {
                    if (device.computes()) {
                        device.allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP32)
                                .close();
                    }
                    super.zeroGradients(queue);
                }
            };
        }
    }

    @Breaks("stepTakesWhatItRehearsed")
    @HirundoContract
    static class RehearsesNoStep extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            return new SlicedParameters(device, groups, blocks, type) {
                @Override
                public boolean before(Queue queue, int block, Action.Kind kind) {
                    if (kind == Action.Kind.BACKWARD_WEIGHT) {
                        device.allocate(MemoryCategory.COMMUNICATION, Shape.of(1), DType.FP32)
                                .close();
                    }
                    return super.before(queue, block, kind);
                }
            };
        }
    }

    @Breaks("memoryHasItsCategory")
    @HirundoContract
    static class AllocatesGradientsForInference extends Sound {
        @Override
        SlicedParameters mutant(Device device, ShardGroups groups, List<List<ParameterSpec>> blocks, DType type) {
            var parameters = new SlicedParameters(device, groups, blocks, type);
            parameters.allocateGradients();
            return parameters;
        }
    }
}
