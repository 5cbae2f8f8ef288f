package __package__;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.optimizer.LearningRateContract;
import org.junit.jupiter.api.Test;

/** The contract of a learning rate, one test per clause; and tests of this one's formula. */
@HirundoContract
class __Name__RateTest implements LearningRateContract {
    @Override
    public LearningRateSchedule schedule() {
        return new __Name__Factory().create(new __Name__Options(0.01, 10, 4));
    }

    @Override
    public double peak() {
        return 0.01;
    }

    @Test
    void risesThenFallsWithTheSquareRootThenToZero() {
        LearningRateSchedule rate = schedule();
        assertEquals(0.001, rate.at(1, 100), 1e-15);
        assertEquals(0.01, rate.at(10, 100), 1e-15);
        assertEquals(0.005, rate.at(40, 100), 1e-15);
        assertEquals(rate.at(96, 1000), rate.at(96, 100), 0, "the last step before the cool-down");
        assertEquals(rate.at(100, 1000) / 5, rate.at(100, 100), 1e-15, "the last step");
    }
}
