package io.hirundo.checkpointtorch.internal.model;

/**
 * Row order of the query and key matrices. In the code of Meta and torchtitan, rotary embedding pairs channels {@code 2i} and
 * {@code 2i + 1} of a head; in Transformers and Hirundo, channel {@code i} of the head's first half with channel {@code i} of its second.
 * Permuting the rows converts one to the other.
 *
 * @param dim channels of a head
 */
record HeadRows(int dim) {
  static boolean isRotated(String published) {
    return published.endsWith(".self_attn.q_proj.weight") || published.endsWith(".self_attn.k_proj.weight");
  }

  /** The stored row for a published row. */
  long stored(long published) {
    long channel = published % dim;
    int half = dim / 2;
    return published - channel + 2 * (channel % half) + channel / half;
  }
}
