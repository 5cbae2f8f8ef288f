package io.hirundo.gpusuite.internal.bench;

import io.hirundo.gpusuite.internal.part.TimeBudget;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * PyTorch in another process on the same GPU: {@code torch_side.py}, which times one request after the other, so that both sides alternate.
 * It prints {@code READY version} or {@code NONE reason}, and for each request {@code SECONDS number} or {@code NOT reason}, one line each.
 * Other lines come from libraries.
 */
public final class TorchSide implements AutoCloseable {
    static final String SCRIPT = "torch_side.py";

    private static final Pattern ARCHITECTURE = Pattern.compile("(?m)^ARCHITECTURE = \"(\\S+)\"$");

    /** Timeout of the start, and of answers that need little compilation. */
    static final int USUAL_WAIT_SECONDS = 60;

    private static final int LONGEST_END_SECONDS = 10;
    private static final int POLL_MILLIS = 200;

    /** Marks the end of the process's output. */
    private static final String END = "";

    /**
     * The answer to a request.
     *
     * @param seconds seconds per turn; empty if there is no result
     * @param remark the reason for no result, or the chosen implementation
     */
    public record Answer(Optional<Double> seconds, String remark) {}

    private final Process process;
    private final int longestWaitSeconds;
    private final PrintStream requests;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final String version;
    private String gone;
    private String lastOther = "";

    private TorchSide(Process process, int longestWaitSeconds, TimeBudget allowance) {
        this.process = process;
        this.longestWaitSeconds = longestWaitSeconds;
        requests = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().start(this::read);
        String first = answer(allowance);
        if (first.startsWith("NONE ")) {
            gone = first.substring("NONE ".length());
        }
        version = first.startsWith("READY ") ? first.substring("READY ".length()) : "";
    }

    /**
     * Starts the process. {@link #gone} tells whether it is usable.
     *
     * @param longestWaitSeconds timeout of each answer, limited by the remaining time
     */
    public static TorchSide start(String python, int longestWaitSeconds, TimeBudget allowance) throws IOException {
        Process process = new ProcessBuilder(python, "-c", script())
                .redirectErrorStream(true)
                .start();
        return new TorchSide(process, longestWaitSeconds, allowance);
    }

    /** The architecture whose training step PyTorch can time. */
    public static String architecture() {
        return ARCHITECTURE
                .matcher(script())
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
    }

    private static String script() {
        try (InputStream script = TorchSide.class.getResourceAsStream(SCRIPT)) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            reader.lines().filter(line -> !line.isBlank()).forEach(lines::add);
        } catch (IOException | UncheckedIOException end) {
            // Treated like an exit of the process, because no more requests follow.
        } finally {
            lines.add(END);
        }
    }

    /** Why the process is not usable; empty while it is. */
    public Optional<String> gone() {
        return Optional.ofNullable(gone);
    }

    /** The version of PyTorch, or why PyTorch is not available or no longer available. */
    public String about() {
        return version.isEmpty()
                ? "no PyTorch: " + gone().orElse("it did not say what it is")
                : "compared with " + version
                        + gone().map(why -> "; then PyTorch was gone: " + why).orElse("");
    }

    /** Requests one measurement; without effect after {@link #gone}. */
    public Answer time(String request, TimeBudget allowance) {
        if (gone != null) {
            return new Answer(Optional.empty(), "");
        }
        requests.println(request);
        String answer = answer(allowance);
        String[] words = answer.split(" ", 3);
        if (words.length > 1 && words[0].equals("SECONDS")) {
            try {
                return new Answer(Optional.of(Double.valueOf(words[1])), words.length > 2 ? words[2] : "");
            } catch (NumberFormatException wrong) {
                return new Answer(Optional.empty(), "it said " + answer);
            }
        }
        return new Answer(Optional.empty(), words[0].equals("NOT") ? answer.substring("NOT ".length()) : "");
    }

    /** The next line of the protocol. Returns {@link #END} and sets {@link #gone} if there is none. */
    private String answer(TimeBudget allowance) {
        try {
            long begin = System.nanoTime();
            while (true) {
                // Polls, because the time budget may be ended early.
                String line = lines.poll(allowance.isOver() ? 0 : POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (line == null) {
                    if (allowance.isOver()
                            || System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(longestWaitSeconds)) {
                        return end("it did not answer in time");
                    }
                    continue;
                }
                if (line.equals(END)) {
                    return end("it ended" + (lastOther.isEmpty() ? "" : ": " + lastOther));
                }
                if (line.matches("(READY|NONE|SECONDS|NOT) .*")) {
                    return line;
                }
                lastOther = line;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return end("the suite was interrupted");
        }
    }

    private String end(String why) {
        gone = why;
        process.destroyForcibly();
        return END;
    }

    /** Ends the process and waits, so that its GPU memory is free. */
    @Override
    public void close() {
        requests.close();
        try {
            process.destroyForcibly().waitFor(LONGEST_END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
