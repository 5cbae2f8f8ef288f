package io.hirundo.dataloader.internal.megatron;

/**
 * How often the tokens of a part are gone through.
 *
 * @param epochs passes, at least 1
 * @param samples of all passes: {@code (epochs * tokens - 1) / sequenceTokens}; what is left is dropped
 * @param earlySamples those of all passes but the last where the last is shuffled for itself; else all
 */
public record EpochPlan(int epochs, long samples, long earlySamples) {
    /** The last pass is shuffled for itself when it is needed for less than this share of its samples. */
    private static final double MOST_OF_AN_EPOCH = 0.80;

    /**
     * As few passes as give the samples.
     *
     * @param tokensPerEpoch above 0
     * @throws ArithmeticException when there are too many to count
     */
    public static EpochPlan of(long tokensPerEpoch, int sequenceTokens, long requestedSamples) {
        long needed = Math.addExact(Math.multiplyExact(requestedSamples, sequenceTokens), 1);
        int epochs = Math.toIntExact(Math.max(1, Math.ceilDiv(needed, tokensPerEpoch)));
        long samples = (Math.multiplyExact(epochs, tokensPerEpoch) - 1) / sequenceTokens;
        if (epochs == 1) {
            return new EpochPlan(1, samples, samples);
        }
        long early = ((epochs - 1) * tokensPerEpoch - 1) / sequenceTokens;
        long ofEpoch = (tokensPerEpoch - 1) / sequenceTokens;
        boolean separate = requestedSamples - early < (long) (MOST_OF_AN_EPOCH * ofEpoch);
        return new EpochPlan(epochs, samples, separate ? early : samples);
    }

    boolean lastIsSeparate() {
        return earlySamples < samples;
    }
}
