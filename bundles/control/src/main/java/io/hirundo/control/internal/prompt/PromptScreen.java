package io.hirundo.control.internal.prompt;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.function.Consumer;

/**
 * Standard output or standard error of a terminal with a prompt. While a line is being typed, lines that others print appear above it, and
 * what they draw without ending the line, the live progress, gives way to it. At other times everything passes, and a line that follows
 * the live progress replaces it: the answer to a command does not begin at its end.
 */
final class PromptScreen extends OutputStream {
    private static final String CLEAR = "\r\u001b[K";

    private static final byte ESCAPE = 0x1b;

    private final PrintStream out;

    /** An incomplete line that others have printed, held back while the user types. */
    private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();

    /** Whether the cursor's row shows the live progress, which may be overwritten. */
    private boolean isLive;

    /** Receives lines while the user types; null at other times. */
    private Consumer<String> above;

    PromptScreen(PrintStream out) {
        this.out = out;
    }

    /** The replacement for {@code System.out} or {@code System.err}. */
    PrintStream stream() {
        return new PrintStream(this, true, out.charset());
    }

    /**
     * Starts a typed line: clears the row of the live progress.
     *
     * @param printAbove prints a line above the one that is typed
     */
    synchronized void begin(Consumer<String> printAbove) {
        out.print(CLEAR);
        out.flush();
        isLive = false;
        above = printAbove;
    }

    /** Ends the typed line. */
    synchronized void end() {
        above = null;
        // Drop the live progress held back meanwhile: it is out of date.
        unfinished.reset();
    }

    @Override
    public synchronized void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        if (above == null) {
            pass(bytes, offset, length);
            return;
        }
        for (int i = offset; i < offset + length; i++) {
            writeAbove(bytes[i]);
        }
    }

    private void pass(byte[] bytes, int offset, int length) {
        if (isLive && length > 0 && bytes[offset] != '\r') {
            out.print(CLEAR);
            isLive = false;
        }
        out.write(bytes, offset, length);
        // The first live line starts with an escape sequence, the others with a carriage return.
        isLive |= length > 0 && bytes[offset] == ESCAPE;
        for (int i = offset; i < offset + length; i++) {
            isLive = bytes[i] == '\r' || isLive && bytes[i] != '\n';
        }
    }

    private void writeAbove(byte value) {
        switch (value) {
            // A carriage return restarts the line, as the live progress does.
            case '\r' -> unfinished.reset();
            case '\n' -> {
                above.accept(unfinished.toString(out.charset()));
                unfinished.reset();
            }
            default -> unfinished.write(value);
        }
    }

    @Override
    public synchronized void flush() {
        out.flush();
    }
}
