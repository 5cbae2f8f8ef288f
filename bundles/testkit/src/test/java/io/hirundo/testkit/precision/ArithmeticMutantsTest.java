package io.hirundo.testkit.precision;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Errors within the strategy's tolerance, or within wrong operands that it reports. */
class ArithmeticMutantsTest {
    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(ArithmeticMutantsTest.class, ArithmeticClauses.class);
    }

    /** Any product may be far off that of the operands, as with eight-bit floats. */
    static class Sound extends PrecisionMutantsTest.Sound {
        @Override
        public double tolerance() {
            return MAX_TOLERANCE;
        }
    }

    @Breaks("productsAreOfWhatIsMultiplied")
    @HirundoContract
    static class ATenthOfAPercentTooMuch extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
                    super.inputGradient(queue, dyTN, weight, dxTK);
                    device.kernels().elementwise().scale(queue, dxTK, 1.001);
                }
            };
        }
    }

    @Breaks({"productsAreOfWhatIsMultiplied", "weightGradientIsAdded"})
    @HirundoContract
    static class LosesTheLastToken extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
                    long all = java.lang.Math.max(1, dyTN.shape().dim(0) - 1);
                    super.weightGradient(queue, dyTN.rows(0, all), xTK.rows(0, all), dwNK);
                }
            };
        }
    }

    @Breaks("productsAreOfWhatIsMultiplied")
    @HirundoContract
    static class TellsTheOperandTheOtherWayRound extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public MultipliedOperand multiplied(Queue queue, LinearProduct product, Operand operand, Tensor x) {
                    boolean turned = product == LinearProduct.WEIGHT_GRADIENT
                            && x.shape().dim(0) == x.shape().dim(1);
                    return turned ? MultipliedOperand.stored(x, true) : super.multiplied(queue, product, operand, x);
                }
            };
        }
    }

    @Breaks("productsAreOfWhatIsMultiplied")
    @HirundoContract
    static class TellsOperandsBeforeTheirRounding extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                private Tensor weight;

                @Override
                public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
                    weight = wNK;
                    PreparedWeight prepared = super.prepare(queue, wNK, reuse);
                    var copy = (ScalarTensor) own(prepared);
                    for (long i = 0; i < copy.elements(); i++) {
                        copy.set(i, (double) java.lang.Math.round(copy.get(i) * 64) / 64);
                    }
                    return prepared;
                }

                @Override
                public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight prepared) {
                    return Optional.of(MultipliedOperand.stored(weight, product.contractsLast(Operand.WEIGHT)));
                }
            };
        }
    }

    /** Within the tolerance, and it reports what it multiplies. */
    @Breaks({"operandsKeepTheirSize", "operandTypesAreMultiplied"})
    @HirundoContract
    static class WeightsThatAreAThirdOfAPercentTooLarge extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
                    PreparedWeight prepared = super.prepare(queue, wNK, reuse);
                    device.kernels().elementwise().scale(queue, own(prepared), 1.003);
                    return prepared;
                }
            };
        }
    }

    /** So {@code regress check} would judge it by the noise of BF16. */
    @Breaks("operandTypesAreMultiplied")
    @HirundoContract
    static class DeclaresACoarserType extends Sound {
        @Override
        public PrecisionStrategy strategy() {
            return new SoundPrecision() {
                @Override
                public Set<DType> operandTypes() {
                    return Set.of(DType.FP32, DType.BF16);
                }
            };
        }
    }

    @Breaks("operandTypesAreMultiplied")
    @HirundoContract
    static class DeclaresOtherTypes extends Sound {
        @Override
        public PrecisionStrategy strategy() {
            return new SoundPrecision() {
                @Override
                public Set<DType> operandTypes() {
                    return Set.of(DType.FP64);
                }
            };
        }
    }

    /** Quantizes weights, and declares the type of its activations. */
    @Breaks("operandTypesAreMultiplied")
    @HirundoContract
    static class DeclaresNoQuantization extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
                    PreparedWeight prepared = super.prepare(queue, wNK, reuse);
                    var copy = (ScalarTensor) own(prepared);
                    for (long i = 0; i < copy.elements(); i++) {
                        // As BF16, half away from zero.
                        int bits = Float.floatToRawIntBits((float) copy.get(i)) + 0x8000;
                        copy.set(i, Float.intBitsToFloat(bits & 0xffff0000));
                    }
                    return prepared;
                }
            };
        }
    }
}
