package io.hirundo.cli.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ExampleLinesTest {
    @Test
    void keepsLinesThatFit() {
        assertEquals(List.of("  hirundo plan a.yaml", ""), ExampleLines.within(80, "  hirundo plan a.yaml", ""));
    }

    @Test
    void continuesLongCommandsAsShellsReadThem() {
        assertEquals(
                List.of("  hirundo train a.yaml \\", "      --set b=1 --set c=2 \\", "      --set d=3"),
                ExampleLines.within(30, "  hirundo train a.yaml --set b=1 --set c=2 --set d=3"));
    }

    @Test
    void neverBreaksQuotedText() {
        assertEquals(
                List.of("  hirundo generate \\", "      --prompt 'Once upon a time'"),
                ExampleLines.within(36, "  hirundo generate --prompt 'Once upon a time'"));
        assertEquals(List.of("  'one long text in quotes'"), ExampleLines.within(12, "  'one long text in quotes'"));
    }
}
