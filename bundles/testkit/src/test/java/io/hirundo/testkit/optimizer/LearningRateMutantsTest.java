package io.hirundo.testkit.optimizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Mutants with one defect each, and the clause that detects it. */
class LearningRateMutantsTest {
    @Test
    void soundScheduleKeepsTheContract() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(LearningRateMutantsTest.class, LearningRateContract.class);
    }

    /** Warm-up of 10 steps, then linear decay. */
    private static double rate(long step, long run) {
        return step <= 10 ? step / 10.0 : Math.clamp((run - step) / (run - 10.0), 0, 1);
    }

    @HirundoContract
    static class Sound implements LearningRateContract {
        @Override
        public LearningRateSchedule schedule() {
            return LearningRateMutantsTest::rate;
        }

        @Override
        public double peak() {
            return 1;
        }
    }

    /** 0 / 0 in a run of one step. */
    @Breaks("ratesAreFinite")
    @HirundoContract
    static class DividesByTheStepsThatRemain extends Sound {
        @Override
        public LearningRateSchedule schedule() {
            return (step, run) -> run == 1 ? (run - step) / (run - 1.0) : rate(step, run);
        }
    }

    @Breaks("ratesAreFinite")
    @HirundoContract
    static class CountsInInt extends Sound {
        @Override
        public LearningRateSchedule schedule() {
            return (step, run) -> (int) (step * 1000) < 0 ? -rate(step, run) : rate(step, run);
        }
    }

    @Breaks("peakIsTheHighestRate")
    @HirundoContract
    static class WarmsUpOneStepTooLong extends Sound {
        @Override
        public LearningRateSchedule schedule() {
            return (step, run) -> step == 11 ? 1.1 : rate(step, run);
        }
    }

    @Breaks("peakIsTheHighestRate")
    @HirundoContract
    static class NeverReachesThePeak extends Sound {
        @Override
        public LearningRateSchedule schedule() {
            return (step, run) -> rate(step, run) / 2;
        }
    }

    @Breaks({"ratesFollowFromStepAndRun", "threadsGetTheSameRates"})
    @HirundoContract
    static class CountsItsCalls extends Sound {
        @Override
        public LearningRateSchedule schedule() {
            return new LearningRateSchedule() {
                private long calls;

                @Override
                public synchronized double at(long step, long run) {
                    calls++;
                    return rate(1 + calls % run, run);
                }
            };
        }
    }

    @Breaks("threadsGetTheSameRates")
    @HirundoContract
    static class SharesABuffer extends Sound {
        @Override
        public LearningRateSchedule schedule() {
            return new LearningRateSchedule() {
                private long step;

                @Override
                public double at(long step, long run) {
                    this.step = step;
                    LockSupport.parkNanos(1);
                    return rate(this.step, run);
                }
            };
        }
    }
}
