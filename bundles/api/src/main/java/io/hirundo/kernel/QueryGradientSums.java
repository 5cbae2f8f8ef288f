package io.hirundo.kernel;

import io.hirundo.tensor.DType;
import java.util.List;

/**
 * Workspace that an attention backward with five products takes while it goes on: its blocks of keys add up the gradients of queries in
 * FP32 (Shah et al. 2024, arXiv 2407.08608). For each head the sums of every {@value #TILE_TOKENS} queries and, behind them, which
 * blocks have added theirs; in front of all which blocks have begun. Devices whose {@link io.hirundo.device.MemoryProfile} says so take
 * it, and the counting device for them.
 */
public final class QueryGradientSums {
  /** Queries whose sums are added at once. */
  public static final int TILE_TOKENS = 64;

  /** Operands of the type of the call begin at multiples of it; where one does not, other kernels do the work, which take nothing. */
  public static final int ALIGNMENT_BYTES = 16;

  /** What is known of a tile beside its sums, and of all. */
  private static final int STATE_BYTES = 128;

  /** Channels of heads that there are such kernels for. */
  private static final List<Integer> CHANNELS = List.of(64, 128);

  private QueryGradientSums() {}

  /** Tiles of queries of all heads and sequences, whose last may have fewer. */
  public static long tiles(AttentionShape shape) {
    return (long) shape.sequences() * shape.heads().query() * Math.ceilDiv(shape.queryTokens(), TILE_TOKENS);
  }

  /** Bytes for a backward of operands of a type, which begin at multiples of {@link #ALIGNMENT_BYTES}; 0 where it has no such kernels, or nothing to do. */
  public static long bytes(AttentionShape shape, DType dtype) {
    int channels = shape.heads().dim();
    if (dtype != DType.BF16 || !CHANNELS.contains(channels) || tiles(shape) == 0 || shape.keyTokens() == 0) {
      return 0;
    }
    long tileBytes = (long) TILE_TOKENS * channels * DType.FP32.byteSize() + STATE_BYTES;
    return STATE_BYTES + tiles(shape) * tileBytes;
  }
}
