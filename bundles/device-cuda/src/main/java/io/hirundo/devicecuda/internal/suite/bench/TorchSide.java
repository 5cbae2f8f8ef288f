package io.hirundo.devicecuda.internal.suite.bench;

import io.hirundo.devicecuda.internal.suite.Allowance;
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
 * PyTorch in a process beside this one, on the same GPU: {@code torch_side.py}, which times one thing after the other as it is asked, so
 * that both sides are timed in turns. It says {@code READY what}, or {@code NONE why}, and to each request {@code SECONDS number} or
 * {@code NOT why}, a line each; other lines are of libraries.
 */
final class TorchSide implements AutoCloseable {
  static final String SCRIPT = "torch_side.py";

  /** For one answer: PyTorch starts, or compiles what it was asked to time. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Where the process has said its last. */
  private static final String END = "";

  /**
   * What it said.
   *
   * @param seconds of a turn; empty where there are none
   * @param remark why there are none, or which of several ways it was
   */
  record Answer(Optional<Double> seconds, String remark) {}

  private final Process process;
  private final PrintStream requests;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final String version;
  private String gone;
  private String lastOther = "";

  private TorchSide(Process process, Allowance allowance) {
    this.process = process;
    requests = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    Thread.ofVirtual().start(this::read);
    String first = answer(allowance);
    if (first.startsWith("NONE ")) {
      gone = first.substring("NONE ".length());
    }
    version = first.startsWith("READY ") ? first.substring("READY ".length()) : "";
  }

  /** Starts it. Whether it is of use says {@link #gone}. */
  static TorchSide start(String python, Allowance allowance) throws IOException {
    try (InputStream script = TorchSide.class.getResourceAsStream(SCRIPT)) {
      String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      return new TorchSide(new ProcessBuilder(python, "-c", text).redirectErrorStream(true).start(), allowance);
    }
  }

  private void read() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      reader.lines().filter(line -> !line.isBlank()).forEach(lines::add);
    } catch (IOException | UncheckedIOException end) {
      // As if it had ended by itself: nobody asks it any more.
    } finally {
      lines.add(END);
    }
  }

  /** Why there is nothing more to be had of it; empty as long as there is. */
  Optional<String> gone() {
    return Optional.ofNullable(gone);
  }

  /** PyTorch, and what it runs on. */
  String version() {
    return version;
  }

  /** Asks for one thing; after {@link #gone} nothing is known. */
  Answer time(String request, Allowance allowance) {
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
  private String answer(Allowance allowance) {
    try {
      while (true) {
        String line = lines.poll(Math.clamp(allowance.leftNanos(), 0, LONGEST_WAIT_NANOS), TimeUnit.NANOSECONDS);
        if (line == null) {
          return end("it did not answer in time");
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

  @Override
  public void close() {
    requests.close();
    process.destroyForcibly();
  }
}
