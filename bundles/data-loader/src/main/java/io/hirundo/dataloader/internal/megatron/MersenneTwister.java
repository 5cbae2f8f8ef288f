package io.hirundo.dataloader.internal.megatron;

import io.hirundo.dataloader.internal.stop.Stop;

/**
 * MT19937 (Matsumoto and Nishimura 1998, ACM TOMACS 8(1)) and the shuffle of numpy's {@code RandomState}, which Megatron's
 * sample order is made with.
 */
final class MersenneTwister {
    private static final int WORDS = 624;
    private static final int SHIFT = 397;

    private final int[] state = new int[WORDS];
    private int next = WORDS;

    /**
     * Seeds as {@code RandomState(seed)} does. Seeds outside of 32 bits, which numpy rejects, are taken as {@code
     * RandomState([low word, high word])}.
     */
    MersenneTwister(long seed) {
        if (seed >>> 32 == 0) {
            fill((int) seed);
        } else {
            fillFrom((int) seed, (int) (seed >>> 32));
        }
    }

    /** {@code init_genrand}. */
    private void fill(int seed) {
        state[0] = seed;
        for (int i = 1; i < WORDS; i++) {
            state[i] = 1812433253 * (state[i - 1] ^ (state[i - 1] >>> 30)) + i;
        }
    }

    /** {@code init_by_array}. */
    private void fillFrom(int... key) {
        fill(19650218);
        int i = 1;
        int j = 0;
        for (int k = Math.max(WORDS, key.length); k > 0; k--) {
            state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1664525)) + key[j] + j;
            i = after(i);
            j = (j + 1) % key.length;
        }
        for (int k = WORDS - 1; k > 0; k--) {
            state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1566083941)) - i;
            i = after(i);
        }
        state[0] = 0x80000000;
    }

    private int after(int i) {
        if (i < WORDS - 1) {
            return i + 1;
        }
        state[0] = state[WORDS - 1];
        return 1;
    }

    /** 32 random bits. */
    int nextInt() {
        if (next == WORDS) {
            twist();
        }
        int y = state[next++];
        y ^= y >>> 11;
        y ^= (y << 7) & 0x9d2c5680;
        y ^= (y << 15) & 0xefc60000;
        return y ^ (y >>> 18);
    }

    private void twist() {
        for (int i = 0; i < WORDS; i++) {
            int y = (state[i] & 0x80000000) | (state[(i + 1) % WORDS] & 0x7fffffff);
            state[i] = state[(i + SHIFT) % WORDS] ^ (y >>> 1) ^ ((y & 1) == 0 ? 0 : 0x9908b0df);
        }
        next = 0;
    }

    /** A number from 0 to {@code most}, which is above 0: bits that are too large are thrown away. */
    private int upTo(int most) {
        int mask = -1 >>> Integer.numberOfLeadingZeros(most);
        int value;
        do {
            value = nextInt() & mask;
        } while (value > most);
        return value;
    }

    /** Shuffles a part of an array, from its end to its beginning. */
    void shuffle(int[] values, int from, int to, Stop stop) {
        for (int i = to - from - 1; i > 0; i--) {
            if ((i & Stop.EVERY) == 0) {
                stop.check(SampleIndex.WHAT);
            }
            int j = from + upTo(i);
            int value = values[from + i];
            values[from + i] = values[j];
            values[j] = value;
        }
    }
}
