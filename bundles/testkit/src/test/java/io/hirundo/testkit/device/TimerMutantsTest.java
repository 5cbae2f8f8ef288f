package io.hirundo.testkit.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.fabric.Substitute;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import io.hirundo.testkit.scalar.ScalarBackend;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Mutants with one defect each in kernel timing. */
class TimerMutantsTest {
    @Test
    void aSoundTimerKeepsTheContract() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(TimerMutantsTest.class, TimerClauses.class);
    }

    @HirundoContract
    static class Sound implements TimerClauses {
        @Override
        public ComputeBackend backend() {
            return Substitute.like(
                    ComputeBackend.class,
                    new ScalarBackend(),
                    "open",
                    (real, arguments) -> timed((Device) real.call()));
        }

        private Device timed(Device device) {
            ToyClock clock = clock();
            ElementwiseKernels elementwise = device.kernels().elementwise();
            for (String kernel : List.of("fill", "scale")) {
                elementwise = Substitute.like(ElementwiseKernels.class, elementwise, kernel, (real, arguments) -> {
                    clock.launched(kernel);
                    return real.call();
                });
            }
            ElementwiseKernels told = elementwise;
            Kernels kernels =
                    Substitute.like(Kernels.class, device.kernels(), "elementwise", (real, arguments) -> told);
            Device counted = Substitute.like(Device.class, device, "kernels", (real, arguments) -> kernels);
            return Substitute.like(
                    Device.class, counted, "timeKernels", (real, arguments) -> Optional.of(clock.start()));
        }

        ToyClock clock() {
            return new ToyClock();
        }
    }

    @Breaks("kernelsAreTimed")
    @HirundoContract
    static class StartsOnce extends Sound {
        @Override
        ToyClock clock() {
            return new ToyClock() {
                private boolean started;

                @Override
                KernelTimer start() {
                    requireOpen(!started);
                    started = true;
                    return super.start();
                }
            };
        }
    }

    @Breaks("kernelsAreTimed")
    @HirundoContract
    static class TellsAfterItsEnd extends Sound {
        @Override
        ToyClock clock() {
            return new ToyClock() {
                @Override
                void requireOpen(boolean isOpen) {}
            };
        }
    }

    @Breaks("kernelsAreTimed")
    @HirundoContract
    static class TellsOfTheTimerBefore extends Sound {
        @Override
        ToyClock clock() {
            return new ToyClock() {
                @Override
                void forget() {}
            };
        }
    }

    @Breaks("kernelsAreTimed")
    @HirundoContract
    static class TellsNothing extends Sound {
        @Override
        ToyClock clock() {
            return new ToyClock() {
                @Override
                void launched(String kernel) {}
            };
        }
    }

    @Breaks("kernelsAreTimed")
    @HirundoContract
    static class ListsEveryLaunch extends Sound {
        @Override
        ToyClock clock() {
            return new ToyClock() {
                @Override
                List<KernelTime> kernels() {
                    return super.kernels().stream()
                            .flatMap(each -> Stream.generate(() -> new KernelTime(each.name(), 1, 1000))
                                    .limit(each.launches()))
                            .toList();
                }
            };
        }
    }

    @Breaks("kernelsAreTimed")
    @HirundoContract
    static class ListsTheLongestLast extends Sound {
        @Override
        ToyClock clock() {
            return new ToyClock() {
                @Override
                List<KernelTime> kernels() {
                    return super.kernels().reversed();
                }
            };
        }
    }

    @Breaks("kernelsAreTimed")
    @HirundoContract
    static class IsBusierThanCanBe extends Sound {
        @Override
        ToyClock clock() {
            return new ToyClock() {
                @Override
                KernelTimes times() {
                    KernelTimes sound = super.times();
                    return new KernelTimes(sound.kernels(), sound.spanNanos(), 2 * sound.busyNanos());
                }
            };
        }
    }
}
