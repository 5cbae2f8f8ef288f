package io.hirundo.control.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.HirundoException;
import io.hirundo.command.PromptCommand;
import io.hirundo.lib.input.Excerpt;
import java.io.PrintStream;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs lines of commands in sequence and prints one line per failure. A line stops at its first failing command. Lines come
 * from one thread; any thread may close.
 */
public final class CommandLines implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CommandLines.class);

    private final CommandTable commands;
    private final PrintStream out;

    /** The thread that runs a line, or null; guarded by this. */
    private Thread running;

    private boolean closed;

    /**
     * Command lines of one prompt.
     *
     * @param out receives the commands' output and failures
     */
    public CommandLines(CommandTable commands, PrintStream out) {
        this.commands = commands;
        this.out = out;
    }

    /**
     * Runs a line and waits for it.
     *
     * @return an exit code of {@link ExitCode}, as {@link PromptCommand#run} returns them
     */
    public int run(String line) {
        if (!begin()) {
            return ExitCode.REJECTED;
        }
        try {
            return runAll(PromptLine.parse(line));
        } catch (MisunderstoodException failure) {
            return fail(ExitCode.USAGE, failure.getMessage());
        } finally {
            end();
        }
    }

    private int runAll(PromptLine line) {
        int exitCode = ExitCode.OK;
        for (var command = line.commands().iterator(); command.hasNext() && exitCode == ExitCode.OK; ) {
            exitCode = run(command.next());
        }
        return exitCode;
    }

    private int run(List<String> words) {
        PromptCommand command = commands.find(words.getFirst()).orElseThrow(() -> unknown(words));
        try {
            return command.run(words.subList(1, words.size()), out);
        } catch (RejectedException rejection) {
            return fail(ExitCode.REJECTED, "rejected: " + rejection.getMessage());
        } catch (HirundoException failure) {
            return fail(ExitCode.REJECTED, "failed: " + DecisionWait.firstLine(failure));
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            return fail(ExitCode.REJECTED, "the prompt closed before the command ended");
        } catch (MisunderstoodException failure) {
            throw failure;
        } catch (RuntimeException | LinkageError defect) {
            // Most likely a defect in the bundle that contributes the command: report it at the prompt, let the run
            // continue.
            LOG.error("the prompt's command {} failed", command.name(), defect);
            return fail(ExitCode.REJECTED, "failed: " + DecisionWait.firstLine(defect));
        }
    }

    private static MisunderstoodException unknown(List<String> words) {
        String first = words.getFirst();
        boolean isAssignment =
                first.indexOf('=') > 0 || (words.size() > 1 && words.get(1).startsWith("="));
        String line = Excerpt.of(isAssignment ? String.join("", words) : first);
        return new MisunderstoodException(
                isAssignment
                        ? "'" + line + "' is not a command; to change a setting, type: set " + line
                        : "there is no command '" + line + "'; to list them, type: help");
    }

    private int fail(int exitCode, String message) {
        out.println(message);
        return exitCode;
    }

    private synchronized boolean begin() {
        running = closed ? null : Thread.currentThread();
        return !closed;
    }

    private synchronized void end() {
        running = null;
    }

    /** Interrupts a command that is still waiting. */
    @Override
    public synchronized void close() {
        closed = true;
        if (running != null) {
            running.interrupt();
        }
    }
}
