package io.hirundo.lib.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EscapingStreamTest {
    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

    private PrintStream stream(boolean isTerminal) {
        return EscapingStream.before(new PrintStream(shown, true, StandardCharsets.UTF_8), isTerminal);
    }

    private String shown() {
        return shown.toString(StandardCharsets.UTF_8);
    }

    /** C0, DEL, C1, bidirectional overrides, a line separator, a byte order mark. */
    @Test
    void escapesWhatATerminalWouldObey() {
        stream(false).print("a\033[31mred\rb\u007f\u009b\u202e\u2028\ufeff\n\tc\0");
        assertEquals("a\\u001b[31mred\\u000db\\u007f\\u009b\\u202e\\u2028\\ufeff\n\tc\\u0000", shown());
    }

    @Test
    void passesTextOfAnyLanguageInPieces() {
        PrintStream out = stream(false);
        String text = "Schwalbe, \u30c4\u30d0\u30e1, \ud83d\udc26\n".repeat(3000);
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            out.write(each);
        }
        out.print(text);
        assertEquals(text + text, shown());
    }

    @Test
    void passesProgressAndColorsOnATerminalAlone() {
        stream(true).print("\r\033[Kstep \033[32m1\033[0m\033[2J\033]0;title\007\033[?7l\n");
        assertEquals("\r\033[Kstep \033[32m1\033[0m\\u001b[2J\\u001b]0;title\\u0007\033[?7l\n", shown());
    }
}
