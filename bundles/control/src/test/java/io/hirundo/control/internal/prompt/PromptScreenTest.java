package io.hirundo.control.internal.prompt;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PromptScreenTest {
  private static final String CLEAR = "\r\u001b[K";

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream terminal = new PrintStream(bytes, true, StandardCharsets.UTF_8);
  private final PromptScreen screen = new PromptScreen(terminal, true);
  private final PrintStream others = screen.stream();

  @Test
  void linesAppearAboveThePrompt() {
    screen.show("run> ");
    others.println("step 4: validation loss 3.1, große Freude");
    assertEquals(CLEAR + "run> " + CLEAR + "step 4: validation loss 3.1, große Freude\nrun> ", shown());
  }

  @Test
  void theLiveLineGivesWay() {
    screen.show("run> ");
    others.print("step 1");
    others.print(CLEAR + "step 2");
    others.print(CLEAR + "saved\n");
    assertEquals(CLEAR + "run> " + CLEAR + "\u001b[Ksaved\nrun> ", shown());
  }

  @Test
  void withoutAPromptEverythingPasses() {
    others.print("step 1");
    screen.show("run> ");
    screen.entered();
    others.print("answer\n");
    screen.show("run> ");
    screen.hide();
    others.print("step 2");
    assertEquals("step 1" + CLEAR + "run> answer\n" + CLEAR + "run> " + CLEAR + "step 2", shown());
  }

  @Test
  void whereThereIsNoTerminalNothingIsDrawn() {
    var file = new PromptScreen(terminal, false);
    file.show("run> ");
    file.stream().print("step 1\n");
    file.hide();
    assertEquals("step 1\n", shown());
  }

  private String shown() {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
