package io.hirundo.parallelcp.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.AttentionShape;
import io.hirundo.kernel.DocumentBounds;
import io.hirundo.kernel.Heads;
import io.hirundo.kernel.QueryKeyValue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How one rank's queries meet the keys of another, a piece of each at a time. A query sees the pieces before its own wholly,
 * those behind not at all.
 *
 * @param sequences B
 * @param tokens of a piece, s
 * @param startsT of this rank's documents, where there are several in a sequence
 * @param rank whose queries they are
 * @param ranks that share the sequences
 */
record Pieces(int sequences, int tokens, Heads heads, Optional<Tensor> startsT, int rank, int ranks) {
  /**
   * A piece of queries and one of keys that it sees.
   *
   * @param query 0 or 1, the rank's first or second piece
   * @param key 0 or 1, the first or second piece of the rank that holds the keys
   */
  record Pair(int query, int key, AttentionShape shape) {}

  /**
   * Reads the extents off a microbatch's heads.
   *
   * @throws ConfigurationException when the sequences do not come in two pieces
   */
  static Pieces of(StepContext context, ProcessGroup group, Heads heads, QueryKeyValue in) {
    var shape = in.queryBHSD().shape();
    if (context.batch().pieces() != BalancedContext.PIECES || shape.dim(0) % BalancedContext.PIECES != 0) {
      throw new ConfigurationException(
          "context parallelism over " + group.size() + " ranks cuts each sequence into " + BalancedContext.PIECES * group.size()
              + " pieces of equal length, " + BalancedContext.PIECES + " on each rank, but this rank has "
              + context.batch().pieces() + ": choose a sequence length that is a multiple of "
              + BalancedContext.PIECES * group.size());
    }
    return new Pieces(
        Math.toIntExact(shape.dim(0) / BalancedContext.PIECES), Math.toIntExact(shape.dim(2)), heads,
        context.batch().documentStartsT(), group.rank(), group.size());
  }

  /** What this rank has to compute with the keys of a rank. */
  List<Pair> pairsWith(int holder) {
    var pairs = new ArrayList<Pair>();
    for (int query = 0; query < BalancedContext.PIECES; query++) {
      for (int key = 0; key < BalancedContext.PIECES; key++) {
        int distance = BalancedContext.piece(rank, ranks, query) - BalancedContext.piece(holder, ranks, key);
        if (distance >= 0) {
          pairs.add(new Pair(query, key, shape(query, distance == 0 ? 0 : tokens, BalancedContext.piece(holder, ranks, key))));
        }
      }
    }
    return pairs;
  }

  private AttentionShape shape(int query, int causalOffset, int keyPiece) {
    var shape = new AttentionShape(sequences, tokens, tokens, heads, causalOffset);
    return startsT.map(starts -> shape.within(new DocumentBounds(ofTokens(starts, query), keyPiece * tokens))).orElse(shape);
  }

  /** One piece of [N, ...]. */
  Tensor ofSequences(Tensor xN, int piece) {
    return xN.rows((long) piece * sequences, sequences);
  }

  /** One piece of [N s, ...]. */
  Tensor ofTokens(Tensor xT, int piece) {
    long count = (long) sequences * tokens;
    return xT.rows(piece * count, count);
  }

  /** Whose keys a rank has in a step of the ring: its own first, then those of the ranks before it. */
  int holder(int step) {
    return Math.floorMod(rank - step, ranks);
  }
}
