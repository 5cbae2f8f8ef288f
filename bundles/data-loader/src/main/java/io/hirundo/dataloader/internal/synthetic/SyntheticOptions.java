package io.hirundo.dataloader.internal.synthetic;

import io.hirundo.strategy.Setting;

/**
 * Options of the data source {@code synthetic}.
 *
 * @param vocabulary all tokens are below it
 * @param seed of the first tokens
 * @param noise probability that a token is random instead of following from the one before
 */
public record SyntheticOptions(
        @Setting(value = "All tokens are below it", min = 2) int vocabulary,

        @Setting("Other seeds give other samples; the seed of the run counts as well")
        long seed,

        @Setting(
                value = "Part of the tokens that are random, so that a model has something to learn for longer",
                min = 0,
                max = 1)
        double noise) {
    public SyntheticOptions() {
        this(256, 1);
    }

    /** Without random tokens. */
    public SyntheticOptions(int vocabulary, long seed) {
        this(vocabulary, seed, 0);
    }
}
