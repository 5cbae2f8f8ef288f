package io.hirundo.trainer.internal.run;

import io.hirundo.mesh.ProcessGroup;
import java.util.List;

/**
 * The tokens of every sequence that a rank has.
 *
 * @param pieces their numbers, ascending
 * @param of how many pieces of equal length a sequence is cut into
 */
record TokenSplit(List<Integer> pieces, int of) {
  static final TokenSplit WHOLE = new TokenSplit(List.of(0), 1);

  static TokenSplit of(Strategies.Parallel parallel, ProcessGroup context) {
    if (context.size() == 1) {
      return WHOLE;
    }
    List<Integer> pieces = parallel.context().pieces(context.rank(), context.size());
    return new TokenSplit(pieces, pieces.size() * context.size());
  }

  /** Of a sequence. */
  int pieceTokens(int sequenceTokens) {
    return sequenceTokens / of;
  }

  /** Of a sequence, on this rank. */
  int localTokens(int sequenceTokens) {
    return pieceTokens(sequenceTokens) * pieces.size();
  }
}
