package io.hirundo.learningrate.internal;

import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.optimizer.LearningRateContract;
import org.junit.jupiter.api.Nested;

/** The contract of each learning rate. */
class RateContractTest {
    private static final double PEAK = 3e-4;
    private static final long WARMUP_STEPS = 7;

    private abstract static class Rate implements LearningRateContract {
        @Override
        public double peak() {
            return PEAK;
        }
    }

    @Nested
    @HirundoContract
    class Constant extends Rate {
        @Override
        public LearningRateSchedule schedule() {
            return new ConstantFactory().create(new ConstantOptions(PEAK, WARMUP_STEPS));
        }
    }

    @Nested
    @HirundoContract
    class Linear extends Rate {
        @Override
        public LearningRateSchedule schedule() {
            return new LinearFactory().create(new DecayOptions(PEAK, WARMUP_STEPS, 1e-5));
        }
    }

    @Nested
    @HirundoContract
    class Cosine extends Rate {
        @Override
        public LearningRateSchedule schedule() {
            return new CosineFactory().create(new DecayOptions(PEAK, WARMUP_STEPS, 0));
        }
    }

    @Nested
    @HirundoContract
    class WsdWithoutWarmup extends Rate {
        @Override
        public LearningRateSchedule schedule() {
            return new WsdFactory().create(new WsdOptions(PEAK, 0, 0, 0, "exponential"));
        }
    }

    @Nested
    @HirundoContract
    class WsdWithALongDecay extends Rate {
        @Override
        public LearningRateSchedule schedule() {
            return new WsdFactory().create(new WsdOptions(PEAK, WARMUP_STEPS, 1e-6, 50, "minus_sqrt"));
        }
    }
}
