package io.hirundo.itests.failures;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Which signal a training gets, and when.
 *
 * @param step after which it is sent; of no meaning but between steps
 * @param delay after the moment has come
 * @param again time until the same is sent once more, or null
 */
record SignalPlan(int number, String signal, Moment moment, int step, Duration delay, Duration again) {
    /** The phase of a training, read from its files, so that a slow machine does not move a signal to another phase. */
    enum Moment {
        /** Until the first step is done. */
        START,
        STEPS,
        SAVING,
        /** After its last words. */
        CLOSING
    }

    /**
     * Makes plans that cover all phases evenly.
     *
     * @param steps of the training
     * @param start how long it takes to its first step
     */
    static List<SignalPlan> random(int count, long seed, int steps, Duration start) {
        Random random = new Random(seed);
        List<SignalPlan> plans = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            Moment moment = Moment.values()[number % Moment.values().length];
            Duration longest = switch (moment) {
                case START -> start;
                case STEPS -> Duration.ofMillis(5);
                case SAVING -> Duration.ofMillis(1);
                case CLOSING -> Duration.ofMillis(50);
            };
            String signal = List.of("TERM", "INT", "HUP").get(random.nextInt(3));
            int step = moment == Moment.START ? 0 : 1 + random.nextInt(steps * 3 / 4);
            Duration delay = Duration.ofNanos((long) (random.nextDouble() * longest.toNanos()));
            Duration again = random.nextInt(4) == 0 ? Duration.ofMillis(random.nextInt(300)) : null;
            plans.add(new SignalPlan(number, signal, moment, step, delay, again));
        }
        return plans;
    }

    String run() {
        return "run-" + number;
    }
}
