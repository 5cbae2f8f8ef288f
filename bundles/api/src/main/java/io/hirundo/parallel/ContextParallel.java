package io.hirundo.parallel;

import io.hirundo.kernel.Heads;
import io.hirundo.mesh.ProcessGroup;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Splits every sequence over the ranks of the context axis. Strategy kind {@code context-parallel}. Asked only where that
 * axis has more than one rank.
 */
@ConsumerType
public interface ContextParallel {
  /**
   * The pieces of every sequence that a rank holds. A sequence is cut into {@code ranks} times as many pieces of equal length
   * as this list is long, which is the same for every rank.
   *
   * @return numbers of the pieces, from 0, ascending
   */
  List<Integer> pieces(int rank, int ranks);

  /** Attention for layers of these heads. */
  AttentionCore attention(ProcessGroup group, Heads heads);
}
