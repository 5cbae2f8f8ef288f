package io.hirundo.testkit.device;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.Event;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.testkit.DeviceContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.fabric.Substitute;
import io.hirundo.testkit.fabric.Substitute.Instead;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import io.hirundo.testkit.scalar.ScalarBackend;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Mutants with one defect each, and the clause that detects it. */
class DeviceMutantsTest {
    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.atLeast(List.of(DeviceMutantsTest.class, RepetitionMutantsTest.class), DeviceContract.class);
    }

    /** A device with one changed method. */
    abstract static class Mutant implements DeviceContract {
        @Override
        public ComputeBackend backend() {
            return Substitute.like(
                    ComputeBackend.class,
                    new ScalarBackend(),
                    "open",
                    (real, arguments) -> mutant((Device) real.call()));
        }

        Device mutant(Device real) {
            return real;
        }

        static Device gemm(Device device, String method, Instead instead) {
            var gemm = Substitute.like(GemmKernels.class, device.kernels().gemm(), method, instead);
            return kernels(device, "gemm", gemm);
        }

        static Device elementwise(Device device, String method, Instead instead) {
            var elementwise =
                    Substitute.like(ElementwiseKernels.class, device.kernels().elementwise(), method, instead);
            return kernels(device, "elementwise", elementwise);
        }

        private static Device kernels(Device device, String family, Object instead) {
            var kernels = Substitute.like(Kernels.class, device.kernels(), family, (real, arguments) -> instead);
            return Substitute.like(Device.class, device, "kernels", (real, arguments) -> kernels);
        }

        static Object unlessRejected(Substitute.Real real) throws Throwable {
            try {
                return real.call();
            } catch (IllegalArgumentException | IllegalStateException e) {
                return null;
            }
        }
    }

    @Breaks("listedDevicesOpen")
    @HirundoContract
    static class OpensWhatIsNotThere extends Mutant {
        @Override
        public ComputeBackend backend() {
            var real = new ScalarBackend();
            return Substitute.like(
                    ComputeBackend.class, real, "open", (call, arguments) -> real.open(0, (DeviceLedger) arguments[1]));
        }
    }

    @Breaks("missingKernelsAreNamed")
    @HirundoContract
    static class LacksNothing extends Mutant {
        @Override
        public ComputeBackend backend() {
            return Substitute.like(
                    ComputeBackend.class, super.backend(), "missingKernels", (real, arguments) -> Set.of());
        }
    }

    @Breaks("everyByteIsBooked")
    @HirundoContract
    static class RoundsOtherwiseThanItSays extends Mutant {
        @Override
        public ComputeBackend backend() {
            return Substitute.like(
                    ComputeBackend.class,
                    super.backend(),
                    "memoryProfile",
                    (real, arguments) -> new MemoryProfile("other", 128, 0));
        }
    }

    @Breaks("rejectedAllocationIsNotBooked")
    @HirundoContract
    static class TakesItFromAnotherCategory extends Mutant {
        @Override
        Device mutant(Device device) {
            return Substitute.like(Device.class, device, "allocate", (real, arguments) -> {
                try {
                    return real.call();
                } catch (DeviceException e) {
                    return device.allocate(MemoryCategory.WORKSPACE, (Shape) arguments[1], (DType) arguments[2]);
                }
            });
        }
    }

    @Breaks("rejectsClosedTensors")
    @HirundoContract
    static class FillsClosedTensors extends Mutant {
        @Override
        Device mutant(Device device) {
            return elementwise(device, "fill", (real, arguments) -> unlessRejected(real));
        }
    }

    @Breaks("viewsStayInside")
    @HirundoContract
    static class FillsOneMore extends Mutant {
        @Override
        Device mutant(Device device) {
            return elementwise(device, "fill", (real, arguments) -> {
                var tensor = (ScalarTensor) arguments[1];
                MemorySegment.ofAddress(tensor.bytes().address() + tensor.byteSize())
                        .reinterpret(2)
                        .fill((byte) 0);
                return real.call();
            });
        }
    }

    @Breaks("transfersCopyBytes")
    @HirundoContract
    static class CopiesWhatFits extends Mutant {
        @Override
        Device mutant(Device device) {
            var transfer = Substitute.like(
                    Transfer.class, device.transfer(), "upload", (real, arguments) -> unlessRejected(real));
            return Substitute.like(Device.class, device, "transfer", (real, arguments) -> transfer);
        }
    }

    @Breaks("uploadsReadAtOnce")
    @HirundoContract
    static class UploadsWhenItIsDrained extends Mutant {
        @Override
        Device mutant(Device device) {
            return LateTransfer.of(device, 0);
        }
    }

    @Breaks("uploadsReadAtOnce")
    @HirundoContract
    static class KeepsWhatFitsIntoTwoBuffers extends Mutant {
        @Override
        Device mutant(Device device) {
            return LateTransfer.of(device, 8 << 20);
        }
    }

    @Breaks("queuesKeepOrder")
    @HirundoContract
    static class ForgetsEvents extends Mutant {
        @Override
        Device mutant(Device device) {
            var never = Substitute.like(Event.class, Event.PAST, "hasHappened", (real, arguments) -> false);
            return Substitute.like(
                    Device.class,
                    device,
                    "newQueue",
                    (real, arguments) ->
                            Substitute.like(Queue.class, (Queue) real.call(), "record", (call, none) -> never));
        }
    }

    /** {@link TimerMutantsTest} has other timer defects. */
    @Breaks("kernelsAreTimed")
    @HirundoContract
    static class StartsTwoTimers extends Mutant {
        @Override
        Device mutant(Device device) {
            return Substitute.like(
                    Device.class, device, "timeKernels", (real, arguments) -> Optional.of(new ToyClock().start()));
        }
    }

    @Breaks("computesGemms")
    @HirundoContract
    static class NeverAccumulates extends Mutant {
        @Override
        Device mutant(Device device) {
            return gemm(device, "multiplyTN", (real, arguments) -> {
                arguments[4] = false;
                return real.call();
            });
        }
    }

    @Breaks("elementsAreRight")
    @HirundoContract
    static class CutsInsteadOfRounding extends Mutant {
        @Override
        Device mutant(Device device) {
            return elementwise(device, "copy", (real, arguments) -> {
                var from = (ScalarTensor) arguments[1];
                for (long i = 0; i < from.elements(); i++) {
                    from.set(i, Float.intBitsToFloat(Float.floatToRawIntBits((float) from.get(i)) & 0xffff0000));
                }
                return real.call();
            });
        }
    }

    @Breaks("rejectsWrongOperands")
    @HirundoContract
    static class ComputesWhatFits extends Mutant {
        @Override
        Device mutant(Device device) {
            return gemm(device, "multiplyNT", (real, arguments) -> unlessRejected(real));
        }
    }

    @Breaks("ranksComputeTheSame")
    @HirundoContract
    static class RoundsAtRandom extends Mutant {
        @Override
        public ComputeBackend backend() {
            ComputeBackend one = super.backend();
            return Substitute.like(ComputeBackend.class, one, "sharedBy", (real, arguments) -> one);
        }

        @Override
        Device mutant(Device device) {
            return gemm(device, "multiplyNN", (real, arguments) -> {
                real.call();
                var c = (ScalarTensor) arguments[3];
                c.set(0, c.get(0) * (1 + 1e-6 * Math.random()));
                return null;
            });
        }
    }
}
