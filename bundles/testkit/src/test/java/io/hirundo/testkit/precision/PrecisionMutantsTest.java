package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.Queue;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.Support;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Mutants with one defect each in their GEMMs, and the clauses that detect it. */
class PrecisionMutantsTest {
    @Test
    void aSoundStrategyKeepsTheContract() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(List.of(PrecisionMutantsTest.class, LastingMutants.class), GemmClauses.class);
    }

    @HirundoContract
    static class Sound implements PrecisionContract {
        @Override
        public PrecisionStrategy strategy() {
            return new SoundPrecision() {
                @Override
                public LinearMath bind(Device device, LinearShape shape) {
                    return mutant(device, shape);
                }

                @Override
                public Support supports(DeviceInfo device, LinearShape shape) {
                    return Sound.this.supports(super.supports(device, shape));
                }
            };
        }

        /** Small shapes, because there are many mutants. */
        @Override
        public List<LinearShape> shapes() {
            return List.of(
                    new LinearShape("odd", 3, 7), new LinearShape("square", 33, 33), new LinearShape("even", 8, 16));
        }

        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape);
        }

        Support supports(Support support) {
            return support;
        }
    }

    /** Square layers hide it from every check of shapes; the tolerance that it claims is not believed. */
    @Breaks({"weightGradientIsAdded", "productsAreOfWhatIsMultiplied"})
    @HirundoContract
    static class TransposedWeightGradient extends Sound {
        @Override
        public List<LinearShape> shapes() {
            return List.of(new LinearShape("square", 33, 33));
        }

        @Override
        public double tolerance() {
            return 1e9;
        }

        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
                    super.weightGradient(queue, xTK, dyTN, dwNK);
                }
            };
        }
    }

    @Breaks({"weightGradientIsAdded", "productsAreOfWhatIsMultiplied"})
    @HirundoContract
    static class ForgetsTheMicrobatchesBefore extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
                    requireOpen();
                    gemm.multiplyTN(queue, dyTN, xTK, dwNK, false);
                }
            };
        }
    }

    @Breaks({"forwardIsTheProduct", "theLatestWeightCounts", "productsAreOfWhatIsMultiplied"})
    @HirundoContract
    static class LeavesOutTheLastOddOutput extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
                    super.forward(queue, xTK, weight, yTN);
                    long columns = yTN.shape().dim(1);
                    for (long i = columns - 1; columns % 2 == 1 && i < yTN.elements(); i += columns) {
                        device.kernels().elementwise().fill(queue, yTN.view(i, Shape.of(1)), 0);
                    }
                }
            };
        }
    }

    @Breaks({"forwardIsTheProduct", "repeatsBitForBit", "servesManyThreads"})
    @HirundoContract
    static class PadsTheTokens extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
                    super.forward(queue, xTK, weight, yTN);
                    if (yTN.shape().dim(0) % 8 == 1) {
                        MemorySegment.ofAddress(((ScalarTensor) yTN).bytes().address() + yTN.byteSize())
                                .reinterpret(4)
                                .fill((byte) 0);
                    }
                }
            };
        }
    }

    @Breaks({
        "forwardIsTheProduct",
        "kernelsAreDeclared",
        "theLatestWeightCounts",
        "repeatsBitForBit",
        "servesManyThreads",
        "memoryStaysTheSame",
        "parityCheckLeavesNoTrace",
        "productsAreOfWhatIsMultiplied",
        "preparesWeightsOfBothTypes"
    })
    @HirundoContract
    static class WritesToItsInput extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
                    super.forward(queue, xTK, weight, yTN);
                    device.kernels().elementwise().scale(queue, xTK, 0.5);
                }
            };
        }
    }

    @Breaks({"inputGradientIsTheProduct", "theLatestWeightCounts", "productsAreOfWhatIsMultiplied"})
    @HirundoContract
    static class AddsUpInputGradients extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
                    requireOpen();
                    gemm.multiplyNN(queue, dyTN, own(weight), dxTK, true);
                }
            };
        }
    }

    @Breaks({"repeatsBitForBit", "servesManyThreads", "productsAreOfWhatIsMultiplied", "preparesWeightsOfBothTypes"})
    @HirundoContract
    static class RoundsAtRandom extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
                    super.forward(queue, xTK, weight, yTN);
                    // Far above the rounding of a sum, whatever is drawn, and below what forwardIsTheProduct allows.
                    device.kernels().elementwise().scale(queue, yTN, 1 + 4e-6 * (1 + Math.random()));
                }
            };
        }
    }

    /** dx is right, and dw is right if it is computed alone. */
    @Breaks("bothGradientsAreThoseOfEach")
    @HirundoContract
    static class ForgetsTheMicrobatchesBeforeWhereBothAreFound extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public GradientPair gradients(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dwNK) {
                    return GradientPair.oneByOne(
                            dxTK -> inputGradient(queue, dyTN, weight, dxTK),
                            xTK -> gemm.multiplyTN(queue, dyTN, xTK, dwNK, false),
                            x -> {});
                }
            };
        }
    }

    /** A caller that sends dx before it computes dw sends undefined values. */
    @Breaks("bothGradientsAreThoseOfEach")
    @HirundoContract
    static class FindsTheInputGradientLast extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public GradientPair gradients(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dwNK) {
                    var asked = new ArrayList<Tensor>();
                    return GradientPair.oneByOne(
                            asked::add,
                            xTK -> {
                                asked.forEach(dxTK -> inputGradient(queue, dyTN, weight, dxTK));
                                weightGradient(queue, dyTN, xTK, dwNK);
                            },
                            x -> {});
                }
            };
        }
    }

    @Breaks("propagatesNaN")
    @HirundoContract
    static class TakesNotANumberForZero extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
                    super.forward(queue, xTK, weight, yTN);
                    var y = (ScalarTensor) yTN;
                    for (long i = 0; i < y.elements(); i++) {
                        y.set(i, Double.isNaN(y.get(i)) ? 0 : y.get(i));
                    }
                }
            };
        }
    }
}
