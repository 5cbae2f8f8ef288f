package io.hirundo.control.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class PastedLinesTest {
    @Test
    void splitsAtLineBreaksOfEveryKindAndDropsBlankLines() {
        assertEquals(
                List.of("status", "pause", "resume", "stop"), PastedLines.of("status\r\n\n  pause \rresume\nstop\n"));
        assertEquals(List.of(), PastedLines.of(" \n\t\n"));
    }

    @Test
    void keepsAValueOfSeveralLinesTogether() {
        String text =
                "swap data indexed {\n  blend: [\n    {path: a},\n    {path: 'it ]'}\n  ]\n}\nset run.name='a\nb'";
        assertEquals(
                List.of("swap data indexed { blend: [ {path: a}, {path: 'it ]'} ] }", "set run.name='a b'"),
                PastedLines.of(text));
    }

    @Test
    void leavesWhatIsNeverClosedToTheAnswerOfOneLine() {
        assertEquals(List.of("status", "set a=[1 pause"), PastedLines.of("status\nset a=[1\npause"));
        assertEquals(
                List.of("set a=]", "# it's a comment", "pause"), PastedLines.of("set a=]\n# it's a comment\npause"));
    }

    @Test
    void neverJoinsMoreThanALineMayHold() {
        String half = "x".repeat(PromptLine.MAX_BYTES / 2);
        assertEquals(
                List.of("set a=[" + half + " " + half, "pause"),
                PastedLines.of("set a=[" + half + "\n" + half + "\npause"));
    }
}
