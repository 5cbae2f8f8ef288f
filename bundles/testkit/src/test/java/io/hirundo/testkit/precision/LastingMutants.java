package io.hirundo.testkit.precision;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Strategies with a defect in state kept between calls, foreign weights, rejected shapes, or released memory. */
final class LastingMutants {
    private LastingMutants() {}

    @Breaks("theLatestWeightCounts")
    @HirundoContract
    static class KeepsTheFirstWeight extends PrecisionMutantsTest.Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
                    return reuse == null ? super.prepare(queue, wNK, null) : reuse;
                }
            };
        }
    }

    /** A resumed run would not find the same gradients. */
    @Breaks({"remembersNothingElse", "parityCheckLeavesNoTrace", "productsAreOfWhatIsMultiplied"})
    @HirundoContract
    static class RemembersInSecret extends PrecisionMutantsTest.Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                private int gradients;

                @Override
                public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
                    super.weightGradient(queue, dyTN, xTK, dwNK);
                    gradients++;
                }

                @Override
                public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
                    super.inputGradient(queue, dyTN, weight, dxTK);
                    device.kernels().elementwise().scale(queue, dxTK, 1 + 1e-6 * gradients);
                }
            };
        }
    }

    @Breaks("servesManyThreads")
    @HirundoContract
    static class SharesScratchMemory extends PrecisionMutantsTest.Sound {
        private static final AtomicInteger USERS = new AtomicInteger();

        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
                    int users = USERS.incrementAndGet();
                    try {
                        LockSupport.parkNanos(100_000);
                        super.weightGradient(queue, dyTN, xTK, dwNK);
                        device.kernels().elementwise().scale(queue, dwNK, users);
                    } finally {
                        USERS.decrementAndGet();
                    }
                }
            };
        }
    }

    @Breaks("memoryStaysTheSame")
    @HirundoContract
    static class GrowsUntilItIsClosed extends PrecisionMutantsTest.Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                private final List<Tensor> taken = new ArrayList<>();

                @Override
                public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
                    super.weightGradient(queue, dyTN, xTK, dwNK);
                    taken.add(allocate(dwNK));
                }

                @Override
                public void close() {
                    super.close();
                    taken.forEach(Tensor::close);
                    taken.clear();
                }
            };
        }
    }

    @Breaks({
        "forwardIsTheProduct",
        "inputGradientIsTheProduct",
        "kernelsAreDeclared",
        "memoryStaysTheSame",
        "operandTypesAreMultiplied",
        "repeatsBitForBit",
        "servesManyThreads",
        "theLatestWeightCounts",
        "weightGradientIsAdded",
        "closedIsClosed",
        "propagatesNaN",
        "remembersNothingElse",
        "parityCheckLeavesNoTrace",
        "partsAreRoundedAsTheWhole",
        "lookingAtRoundingChangesNothing",
        "bothGradientsAreThoseOfEach",
        "productsAreOfWhatIsMultiplied",
        "operandsKeepTheirSize",
        "preparesWeightsOfBothTypes"
    })
    @HirundoContract
    static class NeverGivesBack extends PrecisionMutantsTest.Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
                    PreparedWeight prepared = super.prepare(queue, wNK, reuse);
                    return new SoundPrecision.Copy(own(prepared)) {
                        @Override
                        public void close() {}
                    };
                }
            };
        }
    }

    @Breaks("rejectsOtherWeights")
    @HirundoContract
    static class DoesNotSayWhichLayer extends PrecisionMutantsTest.Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, new LinearShape("a layer", shape.outputs(), shape.inputs()));
        }
    }

    @Breaks("preparesWeightsOfBothTypes")
    @HirundoContract
    static class RejectsTheTypeItAsksFor extends PrecisionMutantsTest.Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public Optional<DType> weightType() {
                    return Optional.of(DType.BF16);
                }
            };
        }
    }

    @Breaks("rejectsForeignWeights")
    @HirundoContract
    static class TakesAnyWeightForItsOwn extends PrecisionMutantsTest.Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
                    if (weight instanceof SoundPrecision.Copy) {
                        super.forward(queue, xTK, weight, yTN);
                    }
                }
            };
        }
    }

    @Breaks("saysWhatItDoesNotServe")
    @HirundoContract
    static class ServesEverything extends PrecisionMutantsTest.Sound {
        @Override
        Support supports(Support support) {
            return Support.YES;
        }
    }

    @Breaks("closedIsClosed")
    @HirundoContract
    static class GoesOnAfterItWasClosed extends PrecisionMutantsTest.Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape) {
            return new SoundPrecision.Math(device, shape) {
                @Override
                void requireOpen() {}
            };
        }
    }
}
