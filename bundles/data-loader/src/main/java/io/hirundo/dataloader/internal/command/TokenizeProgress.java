package io.hirundo.dataloader.internal.command;

import io.hirundo.lib.terminal.LiveLine;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** How far the tokenizing has come. */
final class TokenizeProgress implements TokenizePipeline.Progress {
    private static final Duration ELSEWHERE = Duration.ofSeconds(5);

    private final LiveLine line;
    private final OptionalLong expectedBytes;

    /**
     * Begins to measure.
     *
     * @param expectedBytes of text, where it is known
     */
    TokenizeProgress(PrintStream out, boolean terminal, OptionalLong expectedBytes, LongSupplier nanoTime) {
        line = new LiveLine(out, terminal, nanoTime, ELSEWHERE);
        this.expectedBytes = expectedBytes;
    }

    @Override
    public void done(long bytes, long tokens) {
        line.show(() -> line(bytes, tokens, line.elapsedNanos()));
    }

    private String line(long bytes, long tokens, long nanos) {
        String line = String.format(
                Locale.ROOT,
                "tokenizing  %s  %s/s  %,d tokens",
                share(bytes),
                ByteSize.show(rate(bytes, nanos)),
                tokens);
        if (expectedBytes.isEmpty() || bytes == 0) {
            return line;
        }
        long left = Math.max(0, expectedBytes.getAsLong() - bytes);
        var time = Duration.ofNanos((long) ((double) nanos * left / bytes));
        return line + String.format(Locale.ROOT, "  %d:%02d left", time.toMinutes(), time.toSecondsPart());
    }

    private String share(long bytes) {
        if (expectedBytes.isEmpty()) {
            return ByteSize.show(bytes);
        }
        return String.format(Locale.ROOT, "%3d%%", Math.min(100, 100 * bytes / Math.max(1, expectedBytes.getAsLong())));
    }

    private static long rate(long bytes, long nanos) {
        return (long) (bytes * 1e9 / Math.max(1, nanos));
    }

    /** Erases the line. */
    void end() {
        line.end();
    }

    long elapsedNanos() {
        return line.elapsedNanos();
    }
}
