package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MessageCoding;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.PrecisionContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Mutants with one defect each in quantized weights, packed operands or transfers, and the clauses that detect it. */
class TravelMutantsTest {
    @Test
    void aSoundStrategyKeepsTheContract() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(TravelMutantsTest.class, QuantizedTransferClauses.class);
    }

    @HirundoContract
    static class Sound implements PrecisionContract {
        @Override
        public PrecisionStrategy strategy() {
            return new TravellingPrecision() {
                @Override
                public LinearMath bind(Device device, LinearShape shape) {
                    return mutant(device, shape);
                }

                @Override
                public Optional<MessageCoding> betweenStages(Device device) {
                    return Optional.of(messages(device));
                }
            };
        }

        @Override
        public List<LinearShape> shapes() {
            return List.of(new LinearShape("odd", 3, 7), new LinearShape("one", 1, 1));
        }

        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape);
        }

        MessageCoding messages(Device device) {
            return new TravellingPrecision.Messages(device);
        }
    }

    @Breaks("codedWeightsAreTheWeight")
    @HirundoContract
    static class ReadsRunsFromTheBeginning extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape) {
                @Override
                public Optional<WeightCoding> coding() {
                    return Optional.of(new TravellingPrecision.Coding(this) {
                        @Override
                        public PreparedWeight prepare(Queue queue, CodedWeight weight, PreparedWeight reuse) {
                            List<CodedWeight.Run> runs = weight.runs().stream()
                                    .map(run -> new CodedWeight.Run(0, run.codes()))
                                    .toList();
                            return super.prepare(queue, new CodedWeight(weight.magnitudes(), runs), reuse);
                        }
                    });
                }
            };
        }
    }

    @Breaks("codedWeightsAreTheWeight")
    @HirundoContract
    static class KeepsTheFirstWeight extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape) {
                @Override
                public Optional<WeightCoding> coding() {
                    return Optional.of(new TravellingPrecision.Coding(this) {
                        @Override
                        public PreparedWeight prepare(Queue queue, CodedWeight weight, PreparedWeight reuse) {
                            return reuse == null ? super.prepare(queue, weight, null) : reuse;
                        }
                    });
                }
            };
        }
    }

    @Breaks("packedProductsAreTheProducts")
    @HirundoContract
    static class TakesPiecesBackwards extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape) {
                @Override
                public Optional<PackedProducts> packed() {
                    return Optional.of(new TravellingPrecision.Packed(this) {
                        @Override
                        public void weightGradient(Queue queue, Tensor dyTN, PackedOperand x, Tensor dwNK) {
                            Tensor all = x.tensors().getFirst();
                            long rows = all.shape().dim(1);
                            for (int piece = 0; piece < x.pieces(); piece++) {
                                Tensor dy = dyTN.rows((x.pieces() - 1 - piece) * rows, rows);
                                super.weightGradient(queue, dy, x.piece(piece), dwNK);
                            }
                        }
                    });
                }
            };
        }
    }

    /** dw is right from plain operands, with dx or alone, and from packed operands if dx is not computed. */
    @Breaks("packedProductsAreTheProducts")
    @HirundoContract
    static class LosesPackedInputsWhereBothAreFound extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape) {
                @Override
                public GradientPair gradients(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dwNK) {
                    return GradientPair.oneByOne(
                            dxTK -> inputGradient(queue, dyTN, weight, dxTK),
                            xTK -> weightGradient(queue, dyTN, xTK, dwNK),
                            x -> {});
                }
            };
        }
    }

    @Breaks("packedProductsAreTheProducts")
    @HirundoContract
    static class ForgetsTheMicrobatchesBeforePackedInputsWhereBothAreFound extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape) {
                @Override
                public GradientPair gradients(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dwNK) {
                    return GradientPair.oneByOne(
                            dxTK -> inputGradient(queue, dyTN, weight, dxTK),
                            xTK -> weightGradient(queue, dyTN, xTK, dwNK),
                            x -> gemm.multiplyTN(queue, dyTN, TravellingPrecision.rows(x), dwNK, false));
                }
            };
        }
    }

    @Breaks("lookingAtRoundingChangesNothing")
    @HirundoContract
    static class CountsZeros extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape) {
                @Override
                public Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
                    return super.roundingLoss(queue, operand, x)
                            .map(loss -> new RoundingLoss(x.elements(), 0, 0, 0, loss.squares()));
                }
            };
        }
    }

    @Breaks("lookingAtRoundingChangesNothing")
    @HirundoContract
    static class RoundsWhatItLooksAt extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape) {
                @Override
                public Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
                    var found = super.roundingLoss(queue, operand, x);
                    device.kernels().elementwise().scale(queue, x, 1 + 1e-6);
                    return found;
                }
            };
        }
    }

    @Breaks("lookingAtRoundingChangesNothing")
    @HirundoContract
    static class RoundsInSilence extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape) {
                @Override
                public boolean roundsOperands() {
                    return false;
                }
            };
        }
    }

    @Breaks("lookingAtRoundingChangesNothing")
    @HirundoContract
    static class RoundsWeightsInSilence extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape) {
                @Override
                public Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
                    return operand == Operand.WEIGHT ? super.roundingLoss(queue, operand, x) : Optional.empty();
                }

                @Override
                public boolean roundsOperands() {
                    return false;
                }
            };
        }
    }

    @Breaks("lookingAtRoundingChangesNothing")
    @HirundoContract
    static class AnnouncesWhatItDoesNotTell extends Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new TravellingPrecision.Math(device, shape) {
                @Override
                public Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
                    return Optional.empty();
                }
            };
        }
    }

    @Breaks("packedTransfersApproximateTheirValues")
    @HirundoContract
    static class AddsMessages extends Sound {
        @Override
        MessageCoding messages(Device device) {
            return new TravellingPrecision.Messages(device) {
                @Override
                public void unpack(Queue queue, PackedOperand message, Tensor xMK) {
                    device.kernels().elementwise().add(queue, TravellingPrecision.rows(message), xMK);
                }
            };
        }
    }

    @Breaks("packedTransfersApproximateTheirValues")
    @HirundoContract
    static class SendsValues extends Sound {
        @Override
        MessageCoding messages(Device device) {
            return new TravellingPrecision.Messages(device) {
                @Override
                public PackedOperand allocate(long rows, long columns) {
                    return TravellingPrecision.message(device, DType.FP32, 1, rows, columns);
                }
            };
        }
    }
}
