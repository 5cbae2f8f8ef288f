package io.hirundo.monitor.internal.console;

import io.hirundo.ConfigurationException;
import io.hirundo.event.TrainingListener;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.io.Console;
import org.osgi.service.component.annotations.Component;

/**
 * Monitor {@code console}. The system property {@code hirundo.terminal} says whether standard output is a terminal; where it
 * is not set, the JVM is asked, which says yes only if standard input is one too. {@code hirundo.color=false} turns colours
 * off.
 */
@Component
@HirundoStrategy(kind = "monitor", name = "console")
public final class ConsoleFactory implements StrategyFactory<ConsoleOptions, TrainingListener> {
  private static final String TERMINAL = "hirundo.terminal";
  private static final String COLOR = "hirundo.color";

  @Override
  public Class<ConsoleOptions> optionsType() {
    return ConsoleOptions.class;
  }

  @Override
  public Class<TrainingListener> contract() {
    return TrainingListener.class;
  }

  @Override
  public TrainingListener create(ConsoleOptions options) {
    if (options.everySteps() < 0) {
      throw new ConfigurationException("monitor console: everySteps is " + options.everySteps() + ", but must be at least 0");
    }
    // Asked for when it prints, because System.out may be replaced until then.
    return isTerminal()
        ? new TerminalProgress(options.everySteps(), () -> System.out, hasColor(), System::nanoTime)
        : new PlainProgress(options.everySteps(), () -> System.out, System::nanoTime);
  }

  private static boolean isTerminal() {
    String told = System.getProperty(TERMINAL);
    if (told != null) {
      return Boolean.parseBoolean(told);
    }
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  private static boolean hasColor() {
    return Boolean.parseBoolean(System.getProperty(COLOR, "true"));
  }
}
