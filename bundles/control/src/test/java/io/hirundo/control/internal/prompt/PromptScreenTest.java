package io.hirundo.control.internal.prompt;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PromptScreenTest {
    private static final String CLEAR = "\r\u001b[K";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PromptScreen screen = new PromptScreen(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    private final PrintStream others = screen.stream();
    private final List<String> above = new ArrayList<>();

    @Test
    void printsLinesAboveTheOneThatIsTyped() {
        screen.begin(above::add);
        others.println("step 4: validation loss 3.1, große Freude");
        others.print("two\nthree");
        assertEquals(List.of("step 4: validation loss 3.1, große Freude", "two"), above);
        assertEquals(CLEAR, shown());
    }

    @Test
    void keepsTheLiveLineBack() {
        others.print("step 1");
        screen.begin(above::add);
        others.print(CLEAR + "step 2");
        others.print(CLEAR + "saved\n");
        others.print("step 3");
        screen.end();
        others.print(CLEAR + "step 4");
        assertEquals(List.of("\u001b[Ksaved"), above);
        assertEquals("step 1" + CLEAR + CLEAR + "step 4", shown());
    }

    @Test
    void beginsTheAnswerToACommandOnAFreeRow() {
        screen.begin(above::add);
        screen.end();
        others.print("\u001b[?7lstep 1 of 9");
        others.println("tiny: running");
        others.print(CLEAR + "step 2 of 9");
        others.println("tiny: running");
        others.println("the end");
        others.print(CLEAR + "step 3 of 9");
        assertEquals(
                CLEAR + "\u001b[?7lstep 1 of 9" + CLEAR + "tiny: running\n" + CLEAR + "step 2 of 9" + CLEAR
                        + "tiny: running\nthe end\n" + CLEAR + "step 3 of 9",
                shown());
    }

    private String shown() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
