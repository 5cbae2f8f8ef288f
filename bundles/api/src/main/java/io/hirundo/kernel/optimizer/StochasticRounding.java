package io.hirundo.kernel.optimizer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Stochastic rounding of FP32 to BF16: to one of the two neighbors, the upper one with the probability of the value's distance from the lower
 * one, so that the expected value is the value (Zamirai et al. 2020, arXiv 2010.06192). The random bits of an element are a function of its key
 * and its index, so they depend on neither layout nor order. {@link StochasticRoundingKernels} compute exactly this.
 */
public final class StochasticRounding {
    /** Of FP32, which BF16 lacks. */
    private static final int LOST_BITS = 16;

    /** Of the upper half of an FP32 number: makes a NaN without a bit of its fraction, which would be infinity, a quiet NaN. */
    public static final int QUIET_NAN = 0x40;

    /** The first factor of MurmurHash3's finalizer. */
    public static final int FACTOR_1 = 0x85EBCA6B;

    /** The second factor. */
    public static final int FACTOR_2 = 0xC2B2AE35;

    /** 2^32 over the golden ratio: separates the upper halves of indices. */
    private static final int GOLDEN = 0x9E3779B9;

    private StochasticRounding() {}

    /**
     * The key of a tensor's random bits in one step: the first eight bytes of a SHA-256.
     *
     * @param tensor its published name
     * @param step of the update
     */
    public static long key(long seed, String tensor, long step) {
        byte[] name = tensor.getBytes(StandardCharsets.UTF_8);
        byte[] text = ByteBuffer.allocate(2 * Long.BYTES + name.length)
                .putLong(seed)
                .putLong(step)
                .put(name)
                .array();
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text))
                    .getLong();
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256", missing);
        }
    }

    /**
     * 16 random bits.
     *
     * @param index of the element in the complete tensor
     */
    public static int bits(long key, long index) {
        return mixed(mixed((int) index + (int) key) ^ outer(key, index)) >>> LOST_BITS;
    }

    /** What {@link #bits} mixes in between its two rounds; equal for indices with equal upper halves. */
    public static int outer(long key, long index) {
        return (int) (key >>> 32) + GOLDEN * (int) (index >>> 32);
    }

    /** MurmurHash3's finalizer (Appleby): a bijection in which every bit of the result depends on every bit. */
    private static int mixed(int x) {
        int y = x;
        y = (y ^ y >>> 16) * FACTOR_1;
        y = (y ^ y >>> 13) * FACTOR_2;
        return y ^ y >>> 16;
    }

    /**
     * The upper neighbor in magnitude if {@code bits} and the 16 bits that BF16 lacks sum up to 2^16 or more, otherwise the lower one. Values
     * that BF16 has, infinities among them, stay; NaN stays NaN. Above the largest finite BF16 number the upper neighbor is infinity.
     *
     * @param bits from 0 to 65,535
     * @return the BF16 number as the upper half of an FP32 one
     */
    public static short rounded(float value, int bits) {
        int whole = Float.floatToRawIntBits(value);
        return (short) (Float.isNaN(value) ? whole >>> LOST_BITS | QUIET_NAN : whole + bits >>> LOST_BITS);
    }
}
