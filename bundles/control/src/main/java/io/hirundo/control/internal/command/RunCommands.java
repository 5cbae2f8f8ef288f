package io.hirundo.control.internal.command;

import io.hirundo.train.Decision;
import io.hirundo.train.RunControl;
import io.hirundo.train.RunStatus;
import io.hirundo.train.StrategyInUse;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.apache.felix.service.command.CommandProcessor;
import org.apache.felix.service.command.CommandSession;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * The commands of a run: Gogo calls the method that is named like the command. Those that wish for something wait until
 * it is decided.
 */
@Component(
    service = RunCommands.class,
    property = {
      CommandProcessor.COMMAND_SCOPE + "=" + RunCommands.SCOPE,
      CommandProcessor.COMMAND_FUNCTION + "=status",
      CommandProcessor.COMMAND_FUNCTION + "=strategies",
      CommandProcessor.COMMAND_FUNCTION + "=swap",
      CommandProcessor.COMMAND_FUNCTION + "=set",
      CommandProcessor.COMMAND_FUNCTION + "=checkpoint",
      CommandProcessor.COMMAND_FUNCTION + "=pause",
      CommandProcessor.COMMAND_FUNCTION + "=resume",
      CommandProcessor.COMMAND_FUNCTION + "=stop",
      CommandProcessor.COMMAND_FUNCTION + "=help"
    })
public final class RunCommands {
  static final String SCOPE = "hirundo";

  private static final List<String> HELP =
      List.of(
          "status                      where the run is: step, loss, tokens per second",
          "strategies                  what it works with, and the bundle of each",
          "swap KIND NAME [OPTIONS]    another strategy from the next step on: swap precision bf16,",
          "                            swap mesh.schedule interleaved '{chunks: 2}'",
          "set PATH=VALUE ...          other settings, all or none: set learningRate.options.peak=0.001",
          "                            (with quotes around blanks and brackets: 'mesh.stageLayers=[3, 5]')",
          "checkpoint now              saves the training state",
          "pause, resume               does no further step; goes on",
          "stop                        ends the run, as Ctrl-C does; saves before where checkpoint.atEnd is true",
          "exit                        leaves this prompt; the run goes on");

  private final RunControl control;

  @Activate
  public RunCommands(@Reference RunControl control) {
    this.control = control;
  }

  /** Where the run is. */
  public void status(CommandSession session, String... words) {
    requireNone("status", words);
    RunStatus status = control.status();
    RunStatus.Progress progress = status.progress();
    var line = new StringBuilder(status.name() + ": " + status.state().name().toLowerCase(Locale.ROOT));
    if (!status.reason().isEmpty()) {
      line.append(" (").append(status.reason()).append(')');
    }
    line.append(", step ").append(progress.step()).append(" of ").append(progress.steps());
    if (progress.step() > 0 && !Double.isNaN(progress.loss())) {
      line.append(
          String.format(Locale.ROOT, ", loss %.4f, %.0f tokens/s", progress.loss(), progress.tokensPerSecond()));
    }
    line.append(", ").append(progress.consumedSamples()).append(" samples read");
    session.getConsole().println(line);
  }

  /** What the run works with. */
  public void strategies(CommandSession session, String... words) {
    requireNone("strategies", words);
    List<StrategyInUse> used = control.strategies();
    int paths = used.stream().mapToInt(strategy -> strategy.path().length()).max().orElse(1);
    int names = used.stream().mapToInt(strategy -> strategy.name().length()).max().orElse(1);
    String format = "%-" + paths + "s  %-" + names + "s  %s%n";
    used.forEach(
        strategy ->
            session.getConsole().printf(
                format, strategy.path(), strategy.name(), strategy.bundle().isEmpty() ? "(gone)" : strategy.bundle()));
  }

  /** Another strategy: {@code swap precision bf16}, {@code swap mesh.schedule interleaved '{chunks: 2}'}. */
  public void swap(CommandSession session, String... words) {
    if (words.length < 2 || words.length > 3) {
      throw new MisunderstoodException(
          "swap needs a kind and a name, and may be given options: swap precision bf16, "
              + "or swap schedule interleaved '{chunks: 2}'");
    }
    String path = SettingPaths.of(words[0], control.strategies());
    String choice =
        words.length == 2 ? words[1] : "{name: " + quoted(words[1]) + ", options: " + options(words[2]) + "}";
    decide(session, control.change(List.of(path + "=" + choice)));
  }

  private static String quoted(String name) {
    return "\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static String options(String text) {
    if (!text.startsWith("{") || !text.endsWith("}")) {
      throw new MisunderstoodException(
          "the options of a strategy are an object, '{chunks: 2}' for instance, not " + text);
    }
    return text;
  }

  /** Other settings, all of them or none. */
  public void set(CommandSession session, String... words) {
    decide(session, control.change(Assignments.of(List.of(words), control.strategies())));
  }

  /** Saves the training state: {@code checkpoint now}. */
  public void checkpoint(CommandSession session, String... words) {
    if (words.length > 1 || (words.length == 1 && !words[0].equals("now"))) {
      throw new MisunderstoodException("it is: checkpoint now");
    }
    decide(session, control.saveCheckpoint());
  }

  /** Does no further step. */
  public void pause(CommandSession session, String... words) {
    requireNone("pause", words);
    decide(session, control.pause());
  }

  /** Ends a pause. */
  public void resume(CommandSession session, String... words) {
    requireNone("resume", words);
    try {
      decide(session, control.resume());
    } catch (RefusedException refusal) {
      // The run says what is missing, its status also how it can go on.
      String reason = control.status().reason();
      throw reason.startsWith(refusal.getMessage()) ? new RefusedException(reason) : refusal;
    }
  }

  /** Saves and ends the run. */
  public void stop(CommandSession session, String... words) {
    requireNone("stop", words);
    decide(session, control.stop());
  }

  /** What there is. */
  public void help(CommandSession session, String... words) {
    requireNone("help", words);
    PrintStream out = session.getConsole();
    HELP.forEach(out::println);
  }

  private static void requireNone(String command, String... words) {
    if (words.length > 0) {
      throw new MisunderstoodException(command + " takes no more words; it is: " + command);
    }
  }

  private void decide(CommandSession session, CompletableFuture<Decision> wish) {
    new DecisionWait(control, session.getConsole()).print(wish);
  }
}
