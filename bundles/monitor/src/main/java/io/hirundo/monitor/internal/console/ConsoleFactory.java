package io.hirundo.monitor.internal.console;

import io.hirundo.ConfigurationException;
import io.hirundo.command.Terminal;
import io.hirundo.event.TrainingListener;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Monitor {@code console}, on a {@link Terminal} or elsewhere. */
@Component
@HirundoStrategy(kind = "monitor", name = "console")
public final class ConsoleFactory implements StrategyFactory<ConsoleOptions, TrainingListener> {
    @Override
    public TrainingListener create(ConsoleOptions options) {
        if (options.everySteps() < 0) {
            throw new ConfigurationException(
                    "monitor console: everySteps: " + options.everySteps() + " is wrong (allowed: 0 or more)");
        }
        // Look up System.out at each print: the prompt may replace it.
        return Terminal.isThere()
                ? new TerminalProgress(options.everySteps(), () -> System.out, Terminal.hasColor(), System::nanoTime)
                : new PlainProgress(options.everySteps(), () -> System.out, System::nanoTime);
    }
}
