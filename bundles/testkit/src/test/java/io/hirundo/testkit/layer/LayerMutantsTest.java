package io.hirundo.testkit.layer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.ConfigurationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.mesh.Axis;
import io.hirundo.model.Activation;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import io.hirundo.parallel.Sharding;
import io.hirundo.precision.Support;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.LayerContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Layers with one defect each, and the clauses that detect it. */
class LayerMutantsTest {
    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(List.of(LayerMutantsTest.class, ForwardMutants.class), LayerContract.class);
    }

    @Test
    void correctLayerPasses() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @HirundoContract
    static class Sound implements LayerContract {
        @Override
        public LayerCase<?> layer() {
            return new LayerCase<>(spec(), drive());
        }

        HeadScale.Drive drive() {
            return new HeadScale.Drive();
        }

        Set<Axis> communicatesAlong() {
            return Set.of();
        }

        HeadScale spec() {
            return new HeadScale();
        }

        Support support(Sharding sharding) {
            return Support.YES;
        }

        HeadScale.Running running(HeadScale spec, LayerScope scope) {
            return running(scope.parameter(spec.weight(Initialization.ONES)));
        }

        HeadScale.Running running(Parameter weightD) {
            return new HeadScale.Running(weightD);
        }

        @Override
        public List<LayerProvider<?, ?>> providers() {
            return List.of(new LayerProvider<HeadScale.Running, HeadScale>() {
                @Override
                public Class<HeadScale> specType() {
                    return HeadScale.class;
                }

                @Override
                public Set<Axis> communicatesAlong() {
                    return Sound.this.communicatesAlong();
                }

                @Override
                public Support supports(HeadScale spec, Sharding sharding) {
                    return support(sharding);
                }

                @Override
                public HeadScale.Running create(HeadScale spec, LayerScope scope) {
                    return running(spec, scope);
                }
            });
        }
    }

    /** The defect until API 0.21: the gradient of a norm on heads counts as replicated on the ranks of the tensor axis. */
    @Breaks("splitGradientsAreThoseOfOneRank")
    @HirundoContract
    static class ReplicatesGradientsOfHeads extends Sound {
        @Override
        HeadScale spec() {
            return new HeadScale() {
                @Override
                Activation on() {
                    return Activation.residual(HEADS * DIM);
                }
            };
        }
    }

    @Breaks("weightsAreDeclared")
    @HirundoContract
    static class InitializesOtherwise extends Sound {
        @Override
        HeadScale.Running running(HeadScale spec, LayerScope scope) {
            return running(scope.parameter(spec.weight(Initialization.ZEROS)));
        }
    }

    @Breaks("weightsAreDeclared")
    @HirundoContract
    static class ListsNoParameters extends Sound {
        @Override
        HeadScale.Running running(Parameter weightD) {
            return new HeadScale.Running(weightD) {
                @Override
                public List<Parameter> parameters() {
                    return List.of();
                }
            };
        }
    }

    @Breaks("gradientsAreFiniteDifferences")
    @HirundoContract
    static class PassesGradientsThrough extends Sound {
        @Override
        HeadScale.Running running(Parameter weightD) {
            return new HeadScale.Running(weightD) {
                @Override
                Tensor backwardInput(StepContext context, Tensor dy) {
                    Tensor dx = context.allocate(dy.shape());
                    context.device().kernels().elementwise().copy(context.queue(), dy, dx);
                    return dx;
                }
            };
        }
    }

    /** Once in one rank, once in each of several. */
    @Breaks({
        "evaluationComputesTheOutputsOfTraining",
        "gradientsAreFiniteDifferences",
        "splitGradientsAreThoseOfOneRank"
    })
    @HirundoContract
    static class AddsToGradientsInForward extends Sound {
        @Override
        HeadScale.Running running(Parameter weightD) {
            return new HeadScale.Running(weightD) {
                @Override
                Tensor forward(StepContext context, Tensor x) {
                    context.device().kernels().elementwise().add(context.queue(), weightD.value(), weightD.gradient());
                    return super.forward(context, x);
                }
            };
        }
    }

    @Breaks("gradientsAccumulate")
    @HirundoContract
    static class OverwritesGradients extends Sound {
        @Override
        HeadScale.Running running(Parameter weightD) {
            return new HeadScale.Running(weightD) {
                @Override
                void backwardWeight(StepContext context, Tensor dy, Tensor x) {
                    context.device().kernels().elementwise().fill(context.queue(), gradient(), 0);
                    super.backwardWeight(context, dy, x);
                }
            };
        }
    }

    /** Of later passes, everything differs. */
    @Breaks({"operandsAreReadOnly", "gradientsAccumulate", "gradientsAreFiniteDifferences"})
    @HirundoContract
    static class WritesOutputGradients extends Sound {
        @Override
        HeadScale.Running running(Parameter weightD) {
            return new HeadScale.Running(weightD) {
                @Override
                Tensor backwardInput(StepContext context, Tensor dy) {
                    Tensor dx = super.backwardInput(context, dy);
                    context.device().kernels().elementwise().scale(context.queue(), dy, 2);
                    return dx;
                }
            };
        }
    }

    @Breaks("memoryIsReturnedTensors")
    @HirundoContract
    static class BooksOutputsAsWorkspace extends Sound {
        @Override
        HeadScale.Running running(Parameter weightD) {
            return new HeadScale.Running(weightD) {
                @Override
                Tensor allocate(StepContext context, Tensor like) {
                    return context.device().allocate(MemoryCategory.WORKSPACE, like.shape(), like.dtype());
                }
            };
        }
    }

    @Breaks("flopsAreThoseThatRun")
    @HirundoContract
    static class DeclaresFlops extends Sound {
        @Override
        HeadScale spec() {
            return new HeadScale() {
                @Override
                double flops() {
                    return 96;
                }
            };
        }
    }

    /** A mean over heads, for instance, which each rank takes over its own. */
    @Breaks({"splitOutputsAreThoseOfOneRank", "splitInputGradientsAreThoseOfOneRank", "splitGradientsAreThoseOfOneRank"
    })
    @HirundoContract
    static class DependsOnTheNumberOfHeads extends Sound {
        @Override
        HeadScale.Running running(HeadScale spec, LayerScope scope) {
            double factor =
                    scope.extent(spec.inputs().getFirst().sections().getFirst().getFirst());
            return new HeadScale.Running(scope.parameter(spec.weight(Initialization.ONES))) {
                @Override
                Tensor scaled(StepContext context, Tensor x) {
                    Tensor y = super.scaled(context, x);
                    context.device().kernels().elementwise().scale(context.queue(), y, factor);
                    return y;
                }

                @Override
                void backwardWeight(StepContext context, Tensor dy, Tensor x) {
                    try (Tensor scaled = context.allocate(dy.shape())) {
                        context.device().kernels().elementwise().copy(context.queue(), dy, scaled);
                        context.device().kernels().elementwise().scale(context.queue(), scaled, factor);
                        super.backwardWeight(context, scaled, x);
                    }
                }
            };
        }
    }

    /** As if it summed the gradients of ranks that have other heads. */
    @Breaks("splitInputGradientsAreThoseOfOneRank")
    @HirundoContract
    static class SumsInputGradients extends Sound {
        @Override
        HeadScale.Running running(HeadScale spec, LayerScope scope) {
            int ranks = scope.group(Axis.TENSOR).size();
            return new HeadScale.Running(scope.parameter(spec.weight(Initialization.ONES))) {
                @Override
                Tensor backwardInput(StepContext context, Tensor dy) {
                    Tensor dx = super.backwardInput(context, dy);
                    context.device().kernels().elementwise().scale(context.queue(), dx, ranks);
                    return dx;
                }
            };
        }
    }

    @Breaks("splitsAreRejectedEarly")
    @HirundoContract
    static class RejectsWithoutReason extends Sound {
        @Override
        Support support(Sharding sharding) {
            return sharding.sizes().get(Axis.TENSOR) == 4 ? Support.no("") : Support.YES;
        }
    }

    @Breaks("splitsAreRejectedEarly")
    @HirundoContract
    static class RejectsEveryTensorSplit extends Sound {
        @Override
        Support support(Sharding sharding) {
            return sharding.sizes().get(Axis.TENSOR) > 1 ? Support.no("it knows one rank") : Support.YES;
        }
    }

    @Breaks({
        "splitsAreRejectedEarly",
        "splitOutputsAreThoseOfOneRank",
        "splitInputGradientsAreThoseOfOneRank",
        "splitGradientsAreThoseOfOneRank"
    })
    @HirundoContract
    static class RejectsWhenCreated extends Sound {
        @Override
        HeadScale.Running running(HeadScale spec, LayerScope scope) {
            if (scope.group(Axis.TENSOR).size() == 4) {
                throw new ConfigurationException("mesh.tensor is 4 (allowed: 1, 2)");
            }
            return super.running(spec, scope);
        }
    }
}
