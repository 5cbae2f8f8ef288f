package io.hirundo.trainer.internal.swap;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.lib.engine.check.ProductFailure;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets all processes of a run agree on an operation: if it fails in one process, all processes learn the reason. Collective. */
final class ProcessAgreement {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessAgreement.class);
    private static final String CAN = "+";
    private static final String CANNOT = "-";

    private final LocalRun run;

    ProcessAgreement(LocalRun run) {
        this.run = run;
    }

    /**
     * Runs the work in every process.
     *
     * @param work the result must be the same in all processes
     * @return the reason of the lowest rank that failed; empty if all succeeded
     */
    Optional<String> attempt(Supplier<String> work) {
        String answer;
        try {
            answer = CAN + work.get();
        } catch (RuntimeException | LinkageError cannot) {
            answer = CANNOT + reasonOf(cannot);
        }
        return firstFailure(run.exchange(answer));
    }

    /** As {@link #attempt(Supplier)}, without a result. */
    Optional<String> attempt(Runnable work) {
        return attempt(() -> {
            work.run();
            return "";
        });
    }

    /** The lines of a text in which the processes differ. Empty if the text is the same in all. */
    Optional<String> compare(String text) {
        return firstFailure(run.exchange(CAN + text));
    }

    private static Optional<String> firstFailure(List<String> answers) {
        for (int rank = 0; rank < answers.size(); rank++) {
            String answer = answers.get(rank);
            if (answer.startsWith(CANNOT)) {
                return Optional.of(answer.substring(1));
            }
            if (!answer.equals(answers.getFirst())) {
                return Optional.of(
                        "rank " + rank + " has " + extraLines(answer, answers.getFirst()) + " where rank 0 has "
                                + extraLines(answers.getFirst(), answer) + "; give all processes the same plugins");
            }
        }
        return Optional.empty();
    }

    /** The lines of a fingerprint that are not in the other one. */
    private static String extraLines(String fingerprint, String other) {
        List<String> known = other.substring(1).lines().toList();
        return fingerprint
                .substring(1)
                .lines()
                .filter(line -> !known.contains(line))
                .collect(Collectors.joining(", "));
    }

    private static String reasonOf(Throwable failure) {
        if (!(failure instanceof HirundoException)) {
            LOG.warn("a strategy that was to take over failed", failure);
            return failure instanceof ProductFailure ? Reason.of(failure) : "it failed: " + Reason.of(failure);
        }
        return Reason.of(failure);
    }
}
