package io.hirundo.gpusuite.internal.part;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.command.Interruption;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceDiagnostics;
import io.hirundo.device.Queue;
import io.hirundo.strategy.Choice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the parts of the suite one after the other.
 *
 * @param parts in order
 * @param gpu the device under test
 * @param limited whether time limits apply
 * @param nanos a clock like {@link System#nanoTime}
 * @param interruption after it, the current work ends and no more work starts
 */
public record GpuSuite(List<Part> parts, Device gpu, boolean limited, LongSupplier nanos, Interruption interruption) {
    private static final Logger LOG = LoggerFactory.getLogger(GpuSuite.class);
    private static final String ENDED = "ended by the user";

    /**
     * A part with its result; seconds are 0 if the part did not run.
     *
     * @param found the result
     */
    private record Done(Part part, Part.Finding found, double seconds) {}

    /**
     * The results of the suite.
     *
     * @param cut names of parts that did not run completely
     */
    public record Results(List<String> failures, List<String> cut) {}

    /**
     * Runs all parts.
     *
     * @param progress receives the start and end of parts, failures, and work that does not end
     * @param report receives the current report in Markdown: before the first part, after each part, and before the process is ended
     * @param end ends the process immediately, the only way to stop a kernel that does not end
     */
    public Results run(Consumer<String> progress, Consumer<String> report, Runnable end) {
        var done = new ArrayList<Done>();
        boolean works = true;
        report.accept(report(done));
        for (Part part : parts) {
            if (interruption.isRequested()) {
                done.add(notRun(part, ENDED));
            } else if (works) {
                progress.accept(part.name() + (limited ? ": " + part.limitSeconds() + " s at most" : ""));
                var allowance = new TimeBudget(limited ? part.limitSeconds() : Integer.MAX_VALUE, nanos);
                Consumer<String> hopeless = piece -> {
                    try {
                        report.accept(report(givenUp(done, part, piece)));
                        progress.accept(part.name() + ": " + piece
                                + " does not end, the suite is ended; --without leaves out kernels by their names");
                    } finally {
                        // A failure to write the report must not keep the process running.
                        end.run();
                    }
                };
                Part.Finding found = found(part, allowance, progress, hopeless);
                done.add(new Done(part, interruption.isRequested() ? ended(found) : found, allowance.spentSeconds()));
                works = found.failures().isEmpty() || works(gpu);
            } else {
                done.add(notRun(part, "the GPU does not work since a failure before"));
            }
            progress.accept(part.name() + ": " + done.getLast().found.summary());
            report.accept(report(done));
        }
        return new Results(
                done.stream().flatMap(one -> one.found.failures().stream()).toList(),
                done.stream()
                        .filter(one -> !one.found.isWhole())
                        .map(one -> one.part.name())
                        .toList());
    }

    private static Done notRun(Part part, String why) {
        return new Done(part, new Part.Finding("not run: " + why, List.of(), "", false), 0);
    }

    private static Part.Finding ended(Part.Finding found) {
        return found.isWhole()
                ? found
                : new Part.Finding(found.summary() + "; " + ENDED, found.failures(), found.details(), false);
    }

    /** The results with a part that does not end, and the parts after it. Failures of that part were only reported as progress. */
    private List<Done> givenUp(List<Done> before, Part part, String piece) {
        var all = new ArrayList<>(before);
        int seconds = part.longestPieceSeconds();
        String why = piece + " has run for " + seconds + " s";
        all.add(new Done(part, new Part.Finding("does not end: " + why, List.of(why), "", false), seconds));
        parts.stream().skip(all.size()).forEach(later -> all.add(notRun(later, "a part before does not end")));
        return all;
    }

    private Part.Finding found(Part part, TimeBudget allowance, Consumer<String> progress, Consumer<String> hopeless) {
        int longest = limited ? part.longestPieceSeconds() : Integer.MAX_VALUE;
        try (var _ = interruption.onRequest(allowance::end);
                var _ = new Watchdog(part.name(), allowance, Watchdog.PATIENCE_SECONDS, progress, longest, hopeless)) {
            return part.run(allowance, progress);
        } catch (HirundoException failure) {
            return failed(part, failure.getMessage(), progress);
        } catch (RuntimeException | Error defect) {
            // Time on a GPU is scarce: a defect of one part must not lose the results of the others.
            LOG.error("the part {} of gpu-suite has a defect", part.name(), defect);
            return failed(part, Reason.of(defect), progress);
        }
    }

    private static Part.Finding failed(Part part, String why, Consumer<String> progress) {
        progress.accept(part.name() + ": " + why);
        return new Part.Finding("failed", List.of(why), "", false);
    }

    /** An illegal memory access of a kernel breaks the CUDA context of the process. */
    public static boolean works(Device gpu) {
        try (Queue queue = gpu.newQueue("does it work")) {
            queue.drain();
            return true;
        } catch (HirundoException broken) {
            return false;
        }
    }

    /** The report in Markdown. */
    private String report(List<Done> done) {
        var text = new StringBuilder();
        text.append("# gpu-suite\n\n")
                .append(gpu.info().name())
                .append(", ")
                .append(gpu.info().arch())
                .append(".\n\n");
        if (gpu instanceof DeviceDiagnostics diagnostics) {
            text.append(diagnostics.libraries()).append(".\n\n");
        }
        List<String> architectures = parts.stream()
                .flatMap(part -> part.architectures().stream())
                .map(Choice::name)
                .distinct()
                .toList();
        if (!architectures.isEmpty()) {
            text.append("Trained architecture: ")
                    .append(String.join(", ", architectures))
                    .append(".\n\n");
        }
        text.append("| Part | Found | Seconds | Limit |\n|---|---|---|---|\n");
        for (Done one : done) {
            String limit = limited ? Integer.toString(one.part.limitSeconds()) : "none";
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %.1f | %s |%n",
                    one.part.name(),
                    one.found.summary(),
                    one.seconds,
                    limit));
        }
        for (Done one : done) {
            List<String> failures = one.found.failures();
            if (!failures.isEmpty() || !one.found.details().isEmpty()) {
                text.append("\n## ").append(one.part.name()).append("\n\n");
                failures.forEach(failure -> text.append("- ").append(failure).append('\n'));
                text.append(failures.isEmpty() || one.found.details().isEmpty() ? "" : "\n")
                        .append(one.found.details());
            }
        }
        return text.toString();
    }
}
