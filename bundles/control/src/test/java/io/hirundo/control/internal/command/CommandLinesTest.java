package io.hirundo.control.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ExitCode;
import io.hirundo.control.internal.FakeRun;
import io.hirundo.control.internal.Gogo;
import io.hirundo.train.Decision;
import io.hirundo.train.RunStatus;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLinesTest {
  private final FakeRun run = new FakeRun(Path.of("runs", "tiny"));
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final CommandLines lines =
      new CommandLines(Gogo.steering(run), new PrintStream(bytes, true, StandardCharsets.UTF_8));

  @AfterEach
  void close() {
    lines.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "swap precision bf16                              | change [precision=bf16]",
        "swap schedule gpipe                              | change [mesh.schedule=gpipe]",
        "swap checkpoint async                            | change [checkpoint.strategy=async]",
        "swap data blend                                  | change [data.source=blend]",
        "swap mesh.schedule interleaved '{chunks: 2}'     | change [mesh.schedule={name: \"interleaved\", options: {chunks: 2}}]",
        "swap mesh.schedule interleaved {chunks: 2}       | change [mesh.schedule={name: \"interleaved\", options: {chunks: 2}}]",
        "set learningRate.options.peak=0.001              | change [learningRate.options.peak=0.001]",
        "set schedule=gpipe training.clipNorm=0.5         | change [mesh.schedule=gpipe, training.clipNorm=0.5]",
        "set 'mesh.stageLayers=[3, 5]'                    | change [mesh.stageLayers=[3, 5]]",
        "set learningRate.options.peak = 0.001            | change [learningRate.options.peak=0.001]",
        "set schedule= gpipe training.clipNorm =0.5       | change [mesh.schedule=gpipe, training.clipNorm=0.5]",
        "set 'schedule = gpipe'                           | change [mesh.schedule= gpipe]",
        "set unknown.thing=1                              | change [unknown.thing=1]",
        "checkpoint now                                   | checkpoint",
        "pause                                            | pause",
        "resume                                           | resume",
        "stop                                             | stop"
      })
  void aWishIsPassedOnAndItsDecisionPrinted(String line, String wish) {
    assertEquals(ExitCode.OK, lines.run(line), this::said);
    assertEquals(List.of(wish), run.wishes);
    assertEquals("after step 41: " + wish + " done\n", said());
  }

  @Test
  void whatIsAskedIsAnswered() {
    assertEquals(ExitCode.OK, lines.run("status; strategies"));

    assertEquals(
        """
        tiny: running, step 40 of 400, loss 3.2500, 1234 tokens/s, 160 samples read
        precision      fp32  io.hirundo.precision-native 0.1.0
        mesh.schedule  1f1b  io.hirundo.parallel-pp 0.1.0
        optimizer      gone  (gone)
        """,
        said());
  }

  @Test
  void aPausedRunSaysWhy() {
    run.state = RunStatus.State.PAUSED;
    lines.run("status");
    assertTrue(said().startsWith("tiny: paused (as asked), step 40"), this::said);
  }

  @Test
  void whoCannotResumeIsToldTheWaysOut() {
    run.state = RunStatus.State.PAUSED;
    run.refusal = "as";
    assertEquals(ExitCode.REFUSED, lines.run("resume"));
    assertEquals("refused: as asked\n", said());
  }

  @Test
  void theFirstRefusalEndsTheLine() {
    run.refusal = "bf16 differs from fp32 in layers.3.wq by 1e-1";

    assertEquals(ExitCode.REFUSED, lines.run("status; swap precision bf16; stop"));

    assertEquals(List.of("change [precision=bf16]"), run.wishes);
    assertTrue(said().endsWith("refused: bf16 differs from fp32 in layers.3.wq by 1e-1\n"), this::said);
  }

  @Test
  void whoWaitsIsToldForWhat() throws Exception {
    run.undecided = new CompletableFuture<>();
    CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> lines.run("swap precision bf16"));
    while (!said().contains("waits")) {
      Thread.sleep(10);
    }
    run.undecided.complete(new Decision(true, 41, "precision is bf16"));

    assertEquals(ExitCode.OK, code.get());
    assertEquals("waits for the end of the step under way\nafter step 41: precision is bf16\n", said());
  }

  @Test
  void closingInterruptsWhoWaits() throws Exception {
    run.undecided = new CompletableFuture<>();
    CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> lines.run("pause"));
    while (!said().contains("waits")) {
      Thread.sleep(10);
    }
    lines.close();
    code.get(5, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "swap precision", "swap a b c d", "swap schedule interleaved 2", "set", "set precision", "set a [1]", "checkpoint later",
        "nothing", "stop now", "set a='b", "help | ", "set a=[1, 2]", "set a= [1]"
      })
  void whatMakesNoSenseIsOneLine(String line) {
    assertEquals(ExitCode.USAGE, lines.run(line), this::said);
    assertEquals(1, said().lines().count(), this::said);
    assertEquals(List.of(), run.wishes);
  }

  /** In our words, not in those of the interpreter. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '@',
      quoteCharacter = '`',
      value = {
        "stop now            @ stop takes no more words; it is: stop",
        "status | grep step  @ commands cannot be joined by | here, only by ;",
        "status > file       @ there is no > or < here",
        "precision=bf16      @ 'precision=bf16' is no command; to change a setting: set precision=bf16",
        "precision = bf16    @ 'precision=bf16' is no command; to change a setting: set precision=bf16",
        "set a='b            @ cannot understand this line: a quote or bracket is not closed",
        "set a=(b            @ cannot understand this line: a quote or bracket is not closed",
        "swap precision b)   @ cannot understand this line: a quote or bracket is not closed, or a bracket or sign stands alone"
      })
  void theLineSaysHowItIsMeant(String line, String beginning) {
    assertEquals(ExitCode.USAGE, lines.run(line), this::said);
    assertTrue(said().startsWith(beginning), this::said);
    assertEquals(List.of(), run.wishes);
  }

  @Test
  void aRunThatFailsIsOneLine() {
    run.undecided = CompletableFuture.failedFuture(new IllegalStateException("device lost\nat some line"));
    assertEquals(ExitCode.REFUSED, lines.run("pause"));
    assertEquals("refused: the run has failed: device lost\n", said());
  }

  @Test
  void helpNamesEveryCommand() {
    assertEquals(ExitCode.OK, lines.run("help"));
    for (String name : List.of("status", "strategies", "swap", "set", "checkpoint now", "pause", "resume", "stop", "exit")) {
      assertTrue(said().contains(name), name);
    }
  }

  private String said() {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
