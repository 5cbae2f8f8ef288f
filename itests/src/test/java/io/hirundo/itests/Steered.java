package io.hirundo.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Predicate;

/** A running training that gets commands, one after the other, from an attached process. */
final class Steered implements AutoCloseable {
  private final Program program;
  private final Path run;
  private final Program.Running training;
  /** Null until the first command. */
  private Program.Running prompt;
  /** Of what the prompt has printed. */
  private int answered;

  /** {@code starter}: the program that starts it, if any; {@code run}: where it will write. */
  Steered(Program program, List<String> starter, Path run, List<String> arguments) throws Exception {
    this.program = program;
    this.run = run;
    this.training = program.startWith(starter, Map.of(), arguments.toArray(String[]::new));
    training.awaitUntil(() -> Files.exists(run.resolve("control.sock")));
  }

  /** Returns the training's answer to a command. */
  String ask(String command) throws Exception {
    // Where the line of a status begins, the answer to what was asked before it has ended.
    String answer = answerTo(command + "\nstatus\n");
    return answer.substring(1, answer.indexOf(beginOfStatus()) + 1);
  }

  /** Repeats the command until the answer satisfies the condition. */
  String askUntil(String command, Predicate<String> isEnough) throws Exception {
    String[] answer = new String[1];
    await(
        () -> {
          answer[0] = ask(command);
          return isEnough.test(answer[0]);
        });
    return answer[0];
  }

  /** Where the training is. */
  String status() throws Exception {
    return answerTo("status\n").strip();
  }

  private String beginOfStatus() {
    return "\n" + run.getFileName() + ": ";
  }

  /** Up to a line of status, which must be the last that the commands ask for. */
  private String answerTo(String commands) throws Exception {
    if (prompt == null) {
      prompt = program.start(Map.of(), "attach", run.toString());
    }
    var keyboard = prompt.process().outputWriter();
    keyboard.write(commands);
    keyboard.flush();
    await(() -> said().contains(beginOfStatus()) && said().endsWith("\n"));
    String all = said();
    answered += all.length() - 1;
    return all;
  }

  /** Since the last answer, after an empty line. */
  private String said() throws IOException {
    return "\n" + Files.readString(prompt.out()).substring(answered);
  }

  /** Waits until the condition holds, while the training runs. */
  void await(Callable<Boolean> condition) throws Exception {
    training.awaitUntil(condition);
  }

  /** Waits until the training has printed this to standard error. */
  void awaitError(String text) throws Exception {
    await(() -> errors().contains(text));
  }

  String errors() throws IOException {
    return Files.readString(training.err());
  }

  /** Waits for this many more steps. */
  void awaitSteps(int more) throws Exception {
    long until = metrics().lastStep() + more;
    await(() -> metrics().lastStep() >= until);
  }

  Metrics metrics() throws IOException {
    return Metrics.of(run);
  }

  /** Stops the training, at the prompt if there is one, otherwise like Ctrl-C. */
  Program.Result stop() throws Exception {
    if (prompt == null) {
      training.signal("INT");
    } else {
      prompt.process().outputWriter().write("stop\n");
      prompt.process().outputWriter().close();
    }
    return training.await();
  }

  /** What a rank has logged of what happened between steps, without what differs from rank to rank. */
  List<String> log(int rank) throws IOException {
    return Files.readAllLines(run.resolve("rank-" + rank).resolve("log.txt")).stream()
        .filter(line -> line.contains(" rank " + rank + " step "))
        .map(line -> line.substring(line.indexOf(" step ")).replaceAll("( in| after) [0-9.]+ s$", ""))
        .toList();
  }

  @Override
  public void close() {
    if (prompt != null) {
      prompt.process().destroyForcibly();
    }
    training.process().destroyForcibly();
  }
}
