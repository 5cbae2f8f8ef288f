package io.hirundo.testkit.optimizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.OptimizerContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Optimizers with one defect each, and the clauses that detect it. */
class OptimizerMutantsTest {
    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(List.of(OptimizerMutantsTest.class, KernelNeedsMutants.class), OptimizerContract.class);
    }

    @Test
    void correctOptimizerPasses() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @HirundoContract
    static class Sound implements OptimizerContract {
        @Override
        public Optimizer optimizer() {
            return new MomentumSgd() {
                @Override
                public Set<Class<?>> kernels(DType parameterType) {
                    return declaredKernels(super.kernels(parameterType));
                }

                @Override
                public Optional<List<StateSpec>> declaredState(ParameterSpec parameter, DType dtype) {
                    return declared(super.declaredState(parameter, dtype));
                }

                @Override
                public List<StateConversion> conversions(ParameterSpec parameter, DType dtype) {
                    return List.of(conversion(dtype));
                }

                @Override
                Run run(Device device, List<Parameter> parameters, List<Tensor> buffers) {
                    return mutant(device, parameters, buffers);
                }
            };
        }

        Optional<List<StateSpec>> declared(Optional<List<StateSpec>> real) {
            return real;
        }

        Set<Class<?>> declaredKernels(Set<Class<?>> real) {
            return real;
        }

        Renaming conversion(DType dtype) {
            return new Renaming("momentum_buffer", dtype);
        }

        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers);
        }
    }

    /** Copies the bytes of a moment under another name, in blocks of two elements. */
    static class Renaming implements StateConversion {
        private final String name;
        private final DType dtype;

        Renaming(String name, DType dtype) {
            this.name = name;
            this.dtype = dtype;
        }

        @Override
        public List<StateSpec> from() {
            return List.of(new StateSpec("moment", dtype), new StateSpec("scales", DType.FP32, false, 2));
        }

        @Override
        public List<StateSpec> to() {
            return List.of(new StateSpec(name, dtype));
        }

        @Override
        public void convert(long elements, List<MemorySegment> from, List<MemorySegment> to) {
            to.getFirst().copyFrom(from.getFirst());
        }
    }

    @Breaks("convertsToDeclaredState")
    @HirundoContract
    static class ConvertsToWhatItLacks extends Sound {
        @Override
        Renaming conversion(DType dtype) {
            return new Renaming("velocity", dtype);
        }
    }

    @Breaks("blocksConvertAlone")
    @HirundoContract
    static class ConvertsByTheFirstBlock extends Sound {
        @Override
        Renaming conversion(DType dtype) {
            return new Renaming("momentum_buffer", dtype) {
                @Override
                public void convert(long elements, List<MemorySegment> from, List<MemorySegment> to) {
                    super.convert(elements, from, to);
                    to.getFirst()
                            .asSlice(to.getFirst().byteSize() - 1)
                            .copyFrom(from.getFirst().asSlice(0, 1));
                }
            };
        }
    }

    @Breaks({"stateIsDeclared", "convertsToDeclaredState"})
    @HirundoContract
    static class DeclaresNothing extends Sound {
        @Override
        Optional<List<StateSpec>> declared(Optional<List<StateSpec>> real) {
            return Optional.empty();
        }
    }

    /** A run that resumes such an optimizer continues without its momentum. */
    @Breaks({"memoryIsListed", "resumesBitwise", "convertsToDeclaredState"})
    @HirundoContract
    static class KeepsItsStateToItself extends Sound {
        @Override
        Optional<List<StateSpec>> declared(Optional<List<StateSpec>> real) {
            return Optional.of(List.of());
        }

        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                @Override
                public List<State> state() {
                    return List.of();
                }
            };
        }
    }

    @Breaks("resumesBitwise")
    @HirundoContract
    static class CountsItsOwnSteps extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                private long steps;

                @Override
                public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
                    steps++;
                    super.step(queue, step, learningRate / (1 - Math.pow(0.5, steps)), gradientCoefficient1);
                }
            };
        }
    }

    @Breaks("memoryIsListed")
    @HirundoContract
    static class BooksScratchMemoryAsState extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                private final Tensor scratch = device.allocate(MemoryCategory.OPTIMIZER, Shape.of(100), DType.FP32);

                @Override
                public void close() {
                    super.close();
                    scratch.close();
                }
            };
        }
    }

    @Breaks("freesItsMemory")
    @HirundoContract
    static class LeavesMemoryAfterAFailure extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                @Override
                void abandon() {}
            };
        }
    }

    @Breaks("slicesUpdateAsTheWhole")
    @HirundoContract
    static class DecaysWhatLooksLikeAMatrix extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                @Override
                boolean decays(Parameter parameter) {
                    return parameter.value().shape().rank() > 1;
                }
            };
        }
    }

    /** Takes the rate of all parameters from the first one. */
    @Breaks("ownersUpdateAsOneRank")
    @HirundoContract
    static class CouplesParameters extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                @Override
                public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
                    boolean first = !parameters.isEmpty()
                            && parameters.getFirst().spec().name().contains("embed");
                    super.step(queue, step, first ? learningRate : learningRate / 2, gradientCoefficient1);
                }
            };
        }
    }

    @Breaks("onlyMatricesDecay")
    @HirundoContract
    static class DecaysVectors extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                @Override
                boolean decays(Parameter parameter) {
                    return true;
                }
            };
        }
    }

    @Breaks("coefficientScalesGradients")
    @HirundoContract
    static class IgnoresTheCoefficient extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                private final Tensor one = device.allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP64);

                @Override
                public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
                    device.kernels().elementwise().fill(queue, one, 1);
                    super.step(queue, step, learningRate, one);
                }

                @Override
                public void close() {
                    super.close();
                    one.close();
                }
            };
        }
    }

    /** The rounding of g / g also moves weights. */
    @Breaks({"zeroGradientsStayFinite", "onlyMatricesDecay", "learningRateZeroChangesNoWeight"})
    @HirundoContract
    static class DividesByTheGradient extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                @Override
                public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
                    super.step(queue, step, learningRate, gradientCoefficient1);
                    for (Parameter parameter : parameters) {
                        // Times g / g: 1, unless g is 0.
                        arithmetic.multiply(queue, parameter.gradient(), parameter.value());
                        arithmetic.divide(queue, parameter.gradient(), 0, parameter.value());
                    }
                }
            };
        }
    }

    @Breaks("writesWeightsAlone")
    @HirundoContract
    static class ScalesGradientsInPlace extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                @Override
                public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
                    super.step(queue, step, learningRate, gradientCoefficient1);
                    parameters.forEach(
                            parameter -> device.kernels().elementwise().scale(queue, parameter.gradient(), 0.5));
                }
            };
        }
    }

    @Breaks("learningRateZeroChangesNoWeight")
    @HirundoContract
    static class MovesWithoutLearningRate extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                @Override
                public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
                    super.step(queue, step, learningRate + 1e-4, gradientCoefficient1);
                }
            };
        }
    }

    @Breaks("lossFalls")
    @HirundoContract
    static class Ascends extends Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                @Override
                public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
                    super.step(queue, step, learningRate, gradientCoefficient1);
                    for (int i = 0; i < parameters.size(); i++) {
                        arithmetic.axpby(
                                queue,
                                Factor.of(2 * learningRate),
                                buffers.get(i),
                                1,
                                parameters.get(i).value());
                    }
                }
            };
        }
    }
}
