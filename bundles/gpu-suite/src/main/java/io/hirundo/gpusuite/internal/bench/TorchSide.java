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

/**
 * PyTorch in another process, on the same GPU: {@code torch_side.py}, which times one thing after the other as it is asked, so
 * that both sides are timed in turns. It says {@code READY what}, or {@code NONE why}, and to each request {@code SECONDS number} or
 * {@code NOT why}, a line each; other lines are of libraries.
 */
public final class TorchSide implements AutoCloseable {
  static final String SCRIPT = "torch_side.py";

  /** For its start, and each answer where it compiles little. */
  static final int USUAL_WAIT_SECONDS = 60;

  private static final int LONGEST_END_SECONDS = 10;
  private static final int LOOK_MILLIS = 200;

  /** Where the process has said its last. */
  private static final String END = "";

  /**
   * What it said.
   *
   * @param seconds of a turn; empty where there are none
   * @param remark why there are none, or which of several ways it was
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
    Thread.ofVirtual().start(this::read);
    String first = answer(allowance);
    if (first.startsWith("NONE ")) {
      gone = first.substring("NONE ".length());
    }
    version = first.startsWith("READY ") ? first.substring("READY ".length()) : "";
  }

  /**
   * Starts it. Whether it is of use says {@link #gone}.
   *
   * @param longestWaitSeconds for each answer, as long as that is left
   */
  public static TorchSide start(String python, int longestWaitSeconds, TimeBudget allowance) throws IOException {
    try (InputStream script = TorchSide.class.getResourceAsStream(SCRIPT)) {
      String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      Process process = new ProcessBuilder(python, "-c", text).redirectErrorStream(true).start();
      return new TorchSide(process, longestWaitSeconds, allowance);
    }
  }

  private void read() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      reader.lines().filter(line -> !line.isBlank()).forEach(lines::add);
    } catch (IOException | UncheckedIOException end) {
      // As if it had ended on its own: nobody asks it any more.
    } finally {
      lines.add(END);
    }
  }

  /** Why there is nothing more to be had of it; empty as long as there is. */
  public Optional<String> gone() {
    return Optional.ofNullable(gone);
  }

  /** PyTorch and what it runs on, or why it is not there, or no longer. */
  public String about() {
    return version.isEmpty()
        ? "no PyTorch: " + gone().orElse("it did not say what it is")
        : "compared with " + version + gone().map(why -> "; then PyTorch was gone: " + why).orElse("");
  }

  /** Asks for one thing; after {@link #gone} nothing is known. */
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

  /** The next line that is for us; {@link #END}, and {@link #gone}, where none comes. */
  private String answer(TimeBudget allowance) {
    try {
      long begin = System.nanoTime();
      while (true) {
        // In short pieces: the allowance may end before it is used up.
        String line = lines.poll(allowance.isOver() ? 0 : LOOK_MILLIS, TimeUnit.MILLISECONDS);
        if (line == null) {
          if (allowance.isOver() || System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(longestWaitSeconds)) {
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

  /** Ends it, and waits for that: the memory of the GPU that it had is free then. */
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
