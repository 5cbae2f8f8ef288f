package io.hirundo.checkpointdcp.internal.command;

import io.hirundo.command.Interruption;
import io.hirundo.command.Quantity;
import io.hirundo.command.Terminal;
import io.hirundo.lib.terminal.LiveLine;
import java.util.concurrent.CancellationException;

/** Shows how much has been read, on one live line of the terminal; stops the reading when the user interrupts the command. */
final class VerifyProgress {
    private final LiveLine line = new LiveLine(System.err, Terminal.isThere(), System::nanoTime);
    private final Interruption interruption;
    private final String name;
    private final long bytes;
    private long readBytes;

    /** {@code bytes}: all that there is to read of what {@code name} says. */
    VerifyProgress(Interruption interruption, String name, long bytes) {
        this.interruption = interruption;
        this.name = name;
        this.bytes = bytes;
    }

    /** Throws {@link CancellationException} where the user has asked to stop. */
    void add(long more) {
        if (interruption.isRequested()) {
            throw new CancellationException();
        }
        readBytes += more;
        line.show(() -> name + ": " + Quantity.bytes(readBytes) + " of " + Quantity.bytes(bytes));
    }

    /** Erases the line. */
    void end() {
        line.end();
    }
}
