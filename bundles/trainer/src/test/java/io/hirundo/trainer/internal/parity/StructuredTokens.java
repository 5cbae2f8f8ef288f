package io.hirundo.trainer.internal.parity;

import io.hirundo.data.SampleSet;

/** Tokens with some structure to learn. */
public class StructuredTokens implements SampleSet {
    @Override
    public long count(Split split) {
        return 10_000;
    }

    @Override
    public void read(Split split, long index, int[] into) {
        long state = index * 0x9E3779B97F4A7C15L + 1;
        int token = (int) Math.floorMod(index * 37, Layouts.VOCABULARY);
        for (int i = 0; i < into.length; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            token = (int) ((token * 5L + 3 + (state >>> 62)) % Layouts.VOCABULARY);
            into[i] = token;
        }
    }

    @Override
    public int vocabularyBound() {
        return Layouts.VOCABULARY;
    }

    @Override
    public String describe() {
        return "text";
    }

    @Override
    public void close() {}
}
