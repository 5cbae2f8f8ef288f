package io.hirundo.control.internal.attach;

import java.io.PrintStream;

/** Prints lines, and a prompt if one is wanted. */
final class PlainDisplay implements Display {
    private final PrintStream out;
    private final boolean prompting;
    private boolean afterPrompt;

    PlainDisplay(PrintStream out, boolean prompting) {
        this.out = out;
        this.prompting = prompting;
    }

    @Override
    public boolean isPrompting() {
        return prompting;
    }

    @Override
    public void prompt(String text) {
        if (prompting) {
            out.print(text);
            out.flush();
            afterPrompt = true;
        }
    }

    @Override
    public void print(String line) {
        out.println(line);
        afterPrompt = false;
    }

    @Override
    public void close() {
        if (afterPrompt) {
            out.println();
            afterPrompt = false;
        }
    }
}
