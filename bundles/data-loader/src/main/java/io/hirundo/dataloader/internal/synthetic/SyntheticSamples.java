package io.hirundo.dataloader.internal.synthetic;

import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.dataloader.internal.order.Mixing;
import java.util.Locale;

/**
 * Samples that a model can learn: each token follows from the one before by {@code next = (multiplier * token + increment)
 * mod vocabulary}, a linear congruence of full period (Hull and Dobell 1962, SIAM Review 4(3)): the increment has no prime
 * factor in common with the vocabulary, and the multiplier is 1 more than a multiple of all of its prime factors, and of 4
 * where 4 divides it. The first token of a sample is a hash of the seeds, the part and the sample's place. A part of the tokens may be
 * random; the next one follows from it.
 */
final class SyntheticSamples implements SampleSet {
    private static final double GOLDEN_RATIO = 0.6180339887498949;

    private final SyntheticOptions options;
    private final SampleRequest request;
    private final long multiplier;
    private final long increment;

    SyntheticSamples(SyntheticOptions options, SampleRequest request) {
        this.options = options;
        this.request = request;
        int vocabulary = options.vocabulary();
        // Reduced, so that no product below overflows.
        multiplier = (1 + productOfPrimes(vocabulary) * (vocabulary % 4 == 0 ? 2 : 1)) % vocabulary;
        long candidate = (long) (vocabulary * GOLDEN_RATIO);
        while (greatestCommonDivisor(candidate, vocabulary) != 1) {
            candidate++;
        }
        increment = candidate;
    }

    /** The product of the primes that divide a number, each once. */
    private static long productOfPrimes(int number) {
        long product = 1;
        int rest = number;
        for (int prime = 2; (long) prime * prime <= rest; prime++) {
            if (rest % prime == 0) {
                product *= prime;
                while (rest % prime == 0) {
                    rest /= prime;
                }
            }
        }
        return rest == 1 ? product : product * rest;
    }

    private static long greatestCommonDivisor(long a, long b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    @Override
    public long count(Split split) {
        return split == Split.TRAINING ? request.trainingSamples() : request.validationSamples();
    }

    @Override
    public void read(Split split, long index, int[] into) {
        if (index < 0 || index >= count(split)) {
            throw new IndexOutOfBoundsException("sample " + index + " of " + count(split));
        }
        int vocabulary = options.vocabulary();
        long hash = Mixing.mix(
                Mixing.mix(Mixing.mix(Mixing.mix(options.seed()) ^ request.seed()) ^ (split == Split.TRAINING ? 0 : 1))
                        ^ index);
        long token = Math.floorMod(hash, vocabulary);
        for (int i = 0; i < into.length; i++) {
            into[i] = (int) token;
            token = isNoise(hash, i + 1)
                    ? Math.floorMod(Mixing.mix(hash ^ (i + 1)), vocabulary)
                    : (multiplier * token + increment) % vocabulary;
        }
    }

    private boolean isNoise(long sample, int place) {
        // 53 bits: as many as a double between 0 and 1 has.
        return options.noise() > 0 && (Mixing.mix(~sample ^ place) >>> 11) * 0x1.0p-53 < options.noise();
    }

    /** The cross entropy in nats of a model that knows the rule: the entropy of a token, given the one before. */
    private double leastLoss() {
        double other = options.noise() / options.vocabulary();
        double next = 1 - options.noise() + other;
        return -(next * Math.log(next) + (other == 0 ? 0 : (options.vocabulary() - 1) * other * Math.log(other)));
    }

    @Override
    public int vocabularyBound() {
        return options.vocabulary();
    }

    @Override
    public String describe() {
        return "synthetic: next token = (" + multiplier + " * token + " + increment + ") mod " + options.vocabulary()
                + (options.noise() == 0
                        ? ""
                        : String.format(
                                Locale.ROOT, ", %.3g random; least possible loss %.4f", options.noise(), leastLoss()));
    }

    @Override
    public void close() {}
}
