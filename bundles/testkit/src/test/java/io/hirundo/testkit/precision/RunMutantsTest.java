package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import io.hirundo.testkit.scalar.value.Fp8Values;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Mutants with one defect each in parity checks or with shards of a weight, and the clauses that detect it. */
class RunMutantsTest {
    @Test
    void aSoundStrategyKeepsTheContract() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(List.of(RunMutantsTest.class, KernelNeedsMutants.class), RunClauses.class);
    }

    /** Rounds weights to E4M3, with a power of two for a scale that the largest of all parts decides on. */
    static class Coarse extends SoundPrecision.Math {
        final WeightSharers sharers;

        Coarse(Device device, LinearShape shape, WeightSharers sharers) {
            super(device, shape);
            this.sharers = sharers;
        }

        @Override
        public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
            PreparedWeight prepared = super.prepare(queue, wNK, reuse);
            var copy = (ScalarTensor) own(prepared);
            round(copy, agreed(queue, largest(copy), reuse != null));
            return prepared;
        }

        static double largest(ScalarTensor weight) {
            double largest = 0;
            for (long i = 0; i < weight.elements(); i++) {
                largest = Math.max(largest, Math.abs(weight.get(i)));
            }
            return largest;
        }

        static void round(ScalarTensor weight, double largest) {
            double scale = Math.scalb(1.0, 7 - Math.getExponent(largest));
            for (long i = 0; i < weight.elements(); i++) {
                weight.set(i, Fp8Values.E4M3.value(Fp8Values.E4M3.nearest(weight.get(i) * scale)) / scale);
            }
        }

        /** {@code again}: in the memory of a weight before. */
        double agreed(Queue queue, double largest, boolean again) {
            return agreed(queue, largest);
        }

        double agreed(Queue queue, double largest) {
            try (Tensor magnitude = device.allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP32)) {
                ((ScalarTensor) magnitude).set(0, largest);
                sharers.agree(queue, magnitude);
                return ((ScalarTensor) magnitude).get(0);
            }
        }
    }

    @HirundoContract
    static class Sound implements PrecisionContract {
        @Override
        public PrecisionStrategy strategy() {
            return new SoundPrecision() {
                @Override
                public Set<DType> operandTypes() {
                    return Set.of(DType.FP32, DType.FP8_E4M3);
                }

                @Override
                public Set<Class<?>> kernels() {
                    return Sound.this.kernels();
                }

                @Override
                public LinearMath bind(Device device, LinearShape shape) {
                    return bind(device, shape, WeightSharers.NONE);
                }

                @Override
                public LinearMath bind(Device device, LinearShape shape, WeightSharers sharers) {
                    return mutant(device, shape, sharers);
                }
            };
        }

        @Override
        public List<LinearShape> shapes() {
            return List.of(new LinearShape("odd", 3, 7), new LinearShape("even", 32, 16));
        }

        /** The tolerance for an operand that is rounded by at most a sixteenth. */
        @Override
        public double tolerance() {
            return 0.05;
        }

        Set<Class<?>> kernels() {
            return Set.of();
        }

        LinearMath mutant(Device device, LinearShape shape, WeightSharers sharers) {
            return new Coarse(device, shape, sharers);
        }
    }

    @Breaks({"parityCheckLeavesNoTrace", "remembersNothingElse", "productsAreOfWhatIsMultiplied"})
    @HirundoContract
    static class RemembersWhatWasTried extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape, WeightSharers sharers) {
            return new Coarse(device, shape, sharers) {
                private double tried = 1;

                @Override
                public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
                    super.weightGradient(queue, dyTN, xTK, dwNK);
                    tried += 1e-6;
                }

                @Override
                public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
                    super.inputGradient(queue, dyTN, weight, dxTK);
                    device.kernels().elementwise().scale(queue, dxTK, tried);
                }
            };
        }
    }

    /** Calls {@code agree} in its own way. */
    abstract static class Agreeing extends Sound {
        @Override
        final LinearMath mutant(Device device, LinearShape shape, WeightSharers sharers) {
            return new Coarse(device, shape, sharers) {
                @Override
                double agreed(Queue queue, double largest, boolean again) {
                    return Agreeing.this.agreed(own -> agreed(queue, own), largest, again);
                }
            };
        }

        /** {@code all}: asks the others, who answer with what is largest of all. */
        abstract double agreed(DoubleUnaryOperator all, double largest, boolean again);
    }

    @Breaks("partsAreRoundedAsTheWhole")
    @HirundoContract
    static class DoesNotHearTheOthers extends Agreeing {
        @Override
        double agreed(DoubleUnaryOperator all, double largest, boolean again) {
            double unused = all.applyAsDouble(largest);
            return largest;
        }
    }

    @Breaks("partsAreRoundedAsTheWhole")
    @HirundoContract
    static class AsksWhenItMultiplies extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape, WeightSharers sharers) {
            return new Coarse(device, shape, sharers) {
                @Override
                public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
                    super.forward(queue, xTK, weight, yTN);
                    agreed(queue, 1);
                }
            };
        }
    }

    /** The transposed copy of the weight is for the other GEMM. */
    @Breaks("partsAreRoundedAsTheWhole")
    @HirundoContract
    static class ScalesTheTransposeByItself extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape, WeightSharers sharers) {
            return new Coarse(device, shape, sharers) {
                private Tensor weight;

                @Override
                public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
                    weight = wNK;
                    return super.prepare(queue, wNK, reuse);
                }

                @Override
                public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight prepared, Tensor dxTK) {
                    requireOpen();
                    own(prepared);
                    try (Tensor copy = allocate(weight)) {
                        device.kernels().elementwise().copy(queue, weight, copy);
                        var transposed = (ScalarTensor) copy;
                        round(transposed, largest(transposed));
                        gemm.multiplyNN(queue, dyTN, copy, dxTK, false);
                    }
                }
            };
        }
    }

    @Breaks("partsAreRoundedAsTheWhole")
    @HirundoContract
    static class HearsTheOthersTheFirstTimeOnly extends Agreeing {
        @Override
        double agreed(DoubleUnaryOperator all, double largest, boolean again) {
            return again ? largest : all.applyAsDouble(largest);
        }
    }

    /** The rank with the other shard then waits for it. */
    @Breaks("partsAreRoundedAsTheWhole")
    @HirundoContract
    static class AsksForLargeWeightsOnly extends Agreeing {
        @Override
        double agreed(DoubleUnaryOperator all, double largest, boolean again) {
            return largest < 1 ? largest : all.applyAsDouble(largest);
        }
    }

    @Breaks("partsAreRoundedAsTheWhole")
    @HirundoContract
    static class AsksForLargeWeightsOnlyTheSecondTime extends Agreeing {
        @Override
        double agreed(DoubleUnaryOperator all, double largest, boolean again) {
            return again && largest < 1 ? largest : all.applyAsDouble(largest);
        }
    }

    @Breaks("partsAreRoundedAsTheWhole")
    @HirundoContract
    static class AsksAgainWhereOthersHadMore extends Agreeing {
        @Override
        double agreed(DoubleUnaryOperator all, double largest, boolean again) {
            double agreed = all.applyAsDouble(largest);
            return again && agreed > largest ? all.applyAsDouble(agreed) : agreed;
        }
    }

    @Breaks("partsAreRoundedAsTheWhole")
    @HirundoContract
    static class AsksAgainUnlessOthersHadMore extends Agreeing {
        @Override
        double agreed(DoubleUnaryOperator all, double largest, boolean again) {
            double agreed = all.applyAsDouble(largest);
            return again && agreed == largest ? all.applyAsDouble(agreed) : agreed;
        }
    }
}
