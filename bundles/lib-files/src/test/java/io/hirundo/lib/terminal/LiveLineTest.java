package io.hirundo.lib.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LiveLineTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    private long nanos = 7;

    private String printed() {
        String text = bytes.toString(StandardCharsets.UTF_8);
        bytes.reset();
        return text;
    }

    @Test
    void redrawsOnATerminalAtMostFiveTimesASecond() {
        var line = new LiveLine(out, true, () -> nanos);
        nanos += 199_999_999;
        line.show(() -> "too early");
        nanos += 1;
        line.show(() -> "1 of 3");
        line.show(() -> "2 of 3");
        assertEquals("\r1 of 3\033[K", printed());
        line.showNow("3 of 3");
        assertEquals("\r3 of 3\033[K", printed());
        assertEquals(200_000_000, line.elapsedNanos());
    }

    @Test
    void printsLinesElsewhereAtItsInterval() {
        var line = new LiveLine(out, false, () -> nanos, Duration.ofSeconds(5));
        nanos += 5_000_000_000L;
        line.show(() -> "1 of 2");
        line.show(() -> "2 of 2");
        line.showNow("not elsewhere");
        line.end();
        assertEquals("1 of 2\n", printed());
    }

    @Test
    void isSilentElsewhereWithoutAnInterval() {
        var line = new LiveLine(out, false, () -> nanos);
        nanos = Long.MAX_VALUE;
        line.show(() -> "never");
        assertEquals("", printed());
        line.say("done");
        assertEquals("done" + System.lineSeparator(), printed());
    }

    @Test
    void erasesOnlyWhatItHasDrawn() {
        var line = new LiveLine(out, true, () -> nanos);
        line.end();
        assertEquals("", printed());
        line.showNow("1 of 2");
        printed();
        line.say("saved");
        line.end();
        assertEquals("\r\033[Ksaved" + System.lineSeparator(), printed());
        line.showNow("2 of 2");
        printed();
        line.end();
        line.end();
        assertEquals("\r\033[K", printed());
    }
}
