package io.hirundo.learningrate.internal;

/**
 * Stays at the peak, then falls along a curve in the last steps. A decay longer than what the warm-up leaves begins right
 * after the warm-up.
 *
 * @param lastSteps steps of the fall; 0 for a tenth of the steps after the warm-up, rounded up
 */
record StableThenDecay(long lastSteps, DecayCurve curve) implements Decay {
    @Override
    public double remaining(long stepsAfterWarmup, long decaySteps) {
        long requested = lastSteps == 0 ? Math.ceilDiv(decaySteps, 10) : lastSteps;
        long fall = Math.min(requested, decaySteps);
        long fallen = stepsAfterWarmup - (decaySteps - fall);
        return fallen <= 0 ? 1 : curve.remaining((double) fallen / fall);
    }
}
