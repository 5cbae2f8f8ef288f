package io.hirundo.checkpointtorch.internal.model;

/**
 * Rows of the matrices of queries and keys. Meta's code, and torchtitan after it, turns the channels {@code 2i} and {@code 2i + 1}
 * of a head with each other; the Transformers library, and Hirundo after it, channel {@code i} of the head's first half with
 * channel {@code i} of its second. Rows are published in an order that makes the two the same.
 *
 * @param dim channels of a head
 */
record HeadRows(int dim) {
  static boolean isRotated(String published) {
    return published.endsWith(".self_attn.q_proj.weight") || published.endsWith(".self_attn.k_proj.weight");
  }

  /** Which stored row is a published one. */
  long stored(long published) {
    long channel = published % dim;
    int half = dim / 2;
    return published - channel + 2 * (channel % half) + channel / half;
  }
}
