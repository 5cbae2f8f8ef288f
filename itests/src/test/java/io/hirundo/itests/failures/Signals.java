package io.hirundo.itests.failures;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;

/** Sends signals at once: a shell waits for them, where the start of a process for each would take longer than what they are to meet. */
final class Signals implements AutoCloseable {
    private final Process shell;
    private final BufferedWriter commands;
    private final BufferedReader answers;

    Signals() throws IOException {
        shell = new ProcessBuilder(
                        "bash", "-c", "while read -r signal pid; do kill -$signal $pid 2> /dev/null; echo; done")
                .start();
        commands = shell.outputWriter();
        answers = shell.inputReader();
    }

    /** Returns when it was sent. To a process that has ended nothing is: another may have its number. */
    synchronized void send(String signal, Process process) throws IOException {
        if (process.isAlive()) {
            commands.write(signal + " " + process.pid() + "\n");
            commands.flush();
            answers.readLine();
        }
    }

    @Override
    public void close() {
        shell.destroy();
    }
}
