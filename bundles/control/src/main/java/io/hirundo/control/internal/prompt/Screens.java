package io.hirundo.control.internal.prompt;

import io.hirundo.control.internal.terminal.LineTerminal;

/** Routes standard output, standard error and the log around a prompt. */
final class Screens implements AutoCloseable {
    private final PromptScreen out = new PromptScreen(System.out);
    private final PromptScreen err = new PromptScreen(System.err);
    private final ConsoleLogs logs = new ConsoleLogs();

    /** Redirects everything that the process prints. */
    Screens() {
        System.setOut(out.stream());
        System.setErr(err.stream());
    }

    /** Starts a typed line. */
    void begin(LineTerminal terminal) {
        out.begin(terminal::printAbove);
        if (terminal.showsErrors()) {
            err.begin(terminal::printAbove);
        }
    }

    /** Ends the typed line. */
    void end() {
        out.end();
        err.end();
    }

    @Override
    public void close() {
        end();
        logs.close();
    }
}
