package io.hirundo.kernel.attention;

/**
 * Heads of grouped-query attention (Ainslie et al. 2023, arXiv 2305.13245). Query head h reads key/value head {@code h / (query /
 * keyValue)}.
 *
 * @param query number of query heads, H
 * @param keyValue number of key/value heads, G, a divisor of H
 * @param dim head dimension, D, even
 */
public record Heads(int query, int keyValue, int dim) {
    public Heads {
        if (query < 1 || keyValue < 1 || query % keyValue != 0 || dim < 2 || dim % 2 != 0) {
            throw new IllegalArgumentException("heads: query " + query + ", keyValue " + keyValue + ", dim " + dim
                    + " are wrong (allowed: query % keyValue == 0, an even dim)");
        }
    }

    /** Query heads per key/value head. */
    public int group() {
        return query / keyValue;
    }

    /** Channels of a fused QKV row, E. */
    public long fusedChannels() {
        return (query + 2L * keyValue) * dim;
    }

    /** Channels of the attention output, H D. */
    public long outputChannels() {
        return (long) query * dim;
    }
}
