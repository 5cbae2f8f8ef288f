package io.hirundo.gpusuite.internal.part;

import io.hirundo.strategy.Choice;
import java.util.List;
import java.util.function.Consumer;

/** A part of the suite. */
public interface Part {
    /** The name of the part in {@code --parts}. */
    String name();

    /** After this time the part starts no more work. */
    int limitSeconds();

    /** Maximum duration of a piece of work on a working GPU. Longer work is treated as a kernel that does not end. */
    default int longestPieceSeconds() {
        return 150;
    }

    /** What it trains. The suite checks these before it opens the device. */
    default List<Choice> architectures() {
        return List.of();
    }

    /**
     * Runs the part.
     *
     * @param progress receives failures when they occur
     * @throws io.hirundo.HirundoException if the part cannot continue; this is a failure of the part and does not end the suite
     */
    Finding run(TimeBudget allowance, Consumer<String> progress);

    /**
     * The result of a part.
     *
     * @param summary one line, including what was cut
     * @param failures one line each
     * @param details Markdown tables; empty for none
     * @param isWhole whether nothing was cut
     */
    record Finding(String summary, List<String> failures, String details, boolean isWhole) {
        public Finding {
            failures = List.copyOf(failures);
        }

        /** The result of a part that was not cut. */
        public Finding(String summary, List<String> failures, String details) {
            this(summary, failures, details, true);
        }
    }
}
