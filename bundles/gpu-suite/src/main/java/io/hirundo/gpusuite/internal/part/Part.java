package io.hirundo.gpusuite.internal.part;

import java.util.List;
import java.util.function.Consumer;

/** A part of the suite. */
public interface Part {
  /** As {@code --parts} names it. */
  String name();

  /** Where it begins no more work. */
  int limitSeconds();

  /** That no piece of its work takes on a GPU that works: what takes longer is taken for a kernel that does not end. */
  default int longestPieceSeconds() {
    return 150;
  }

  /**
   * Does it.
   *
   * @param progress hears of failures when they are found
   * @throws io.hirundo.HirundoException where it cannot continue; that is a failure of this part, and not the end of the suite
   */
  Finding run(TimeBudget allowance, Consumer<String> progress);

  /**
   * What was found.
   *
   * @param summary in one line, what was cut included
   * @param failures each in one line
   * @param details in Markdown: tables; empty for none
   * @param isWhole whether nothing was cut
   */
  record Finding(String summary, List<String> failures, String details, boolean isWhole) {
    public Finding {
      failures = List.copyOf(failures);
    }

    /** Of a part of which nothing was cut. */
    public Finding(String summary, List<String> failures, String details) {
      this(summary, failures, details, true);
    }
  }
}
