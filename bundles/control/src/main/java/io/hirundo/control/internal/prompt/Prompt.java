package io.hirundo.control.internal.prompt;

import io.hirundo.Reason;
import io.hirundo.command.Interruption;
import io.hirundo.control.internal.command.CommandLines;
import io.hirundo.control.internal.command.CommandTable;
import io.hirundo.control.internal.socket.CommandReader;
import io.hirundo.control.internal.terminal.LineTerminal;
import io.hirundo.control.internal.terminal.ReadingThread;
import io.hirundo.train.RunControl;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads commands from the terminal or a script while there is a run. Enabled by {@code --shell}. */
@Component(
        service = {},
        immediate = true,
        enabled = false,
        name = Prompt.NAME)
public final class Prompt {
    static final String NAME = "io.hirundo.control.prompt";

    private static final Set<String> LEAVE = Set.of("exit", "quit");
    private static final Logger LOG = LoggerFactory.getLogger(Prompt.class);

    private final CommandLines commands;
    private final Lines lines;
    private final ReadingThread reading;
    private final Interruption.Registration interruption;
    private volatile boolean closed;

    /** A source of lines. */
    private interface Lines extends AutoCloseable {
        /** The next line; empty at the end. Waiting can be interrupted. */
        Optional<String> next() throws IOException, InterruptedException;

        /** Whether {@link #next} returns when its thread is interrupted. */
        boolean isInterruptible();

        @Override
        void close();
    }

    @Activate
    public Prompt(
            @Reference RunControl control,
            @Reference CommandTable table,
            @Reference TerminalAttendant attendant,
            @Reference Interruption interruption)
            throws IOException {
        commands = new CommandLines(table, System.out);
        lines = LineTerminal.isThere() ? typed(control, table, attendant) : piped();
        reading = ReadingThread.start(this::read);
        // Restore the terminal before a second Ctrl-C ends the process, or it would be left without echo.
        this.interruption = interruption.onRequest(this::close);
    }

    private static Lines typed(RunControl control, CommandTable table, TerminalAttendant attendant) throws IOException {
        LineTerminal terminal = LineTerminal.open(control.status().directory(), table::complete);
        String prompt = control.status().name() + "> ";
        return new Lines() {
            @Override
            public Optional<String> next() throws InterruptedException {
                attendant.screens().begin(terminal);
                try {
                    return terminal.readLine(prompt);
                } finally {
                    attendant.screens().end();
                }
            }

            @Override
            public boolean isInterruptible() {
                return true;
            }

            @Override
            public void close() {
                terminal.close();
            }
        };
    }

    private static Lines piped() {
        var lines = new CommandReader(new BufferedInputStream(System.in));
        return new Lines() {
            @Override
            public Optional<String> next() throws IOException {
                return lines.next();
            }

            @Override
            public boolean isInterruptible() {
                // A blocked read cannot be interrupted: the thread stays until the process ends, and prints nothing.
                return false;
            }

            @Override
            public void close() {}
        };
    }

    private void read() throws InterruptedException {
        try {
            Optional<String> line = lines.next();
            while (line.isPresent() && !closed && !LEAVE.contains(line.get().strip())) {
                commands.run(line.get());
                line = closed ? Optional.empty() : lines.next();
            }
        } catch (IOException failure) {
            LOG.warn("the prompt stops reading commands: {}", Reason.of(failure));
        } finally {
            closed = true;
            lines.close();
        }
    }

    /** Closes the prompt; the run continues or has ended. */
    private void close() {
        closed = true;
        commands.close();
        if (lines.isInterruptible()) {
            reading.end();
        }
        lines.close();
    }

    @Deactivate
    void end() {
        close();
        interruption.close();
    }
}
