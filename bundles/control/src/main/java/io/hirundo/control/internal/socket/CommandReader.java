package io.hirundo.control.internal.socket;

import io.hirundo.control.internal.command.PromptLine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads lines of limited length: commands, or replies to them. Rejects a longer one before it fills the memory. */
public final class CommandReader {
    /** Called when a line has started but not ended, and when it has ended. */
    interface HalfLines {
        void begun();

        void ended();
    }

    private static final String COMMAND_TOO_LONG = "a command has more than " + PromptLine.MAX_BYTES + " bytes";

    private static final HalfLines FOREVER = new HalfLines() {
        @Override
        public void begun() {}

        @Override
        public void ended() {}
    };

    /** Far longer than any reply. */
    private static final int MAX_REPLY_BYTES = 1 << 20;

    private final InputStream in;
    private final HalfLines halfLines;
    private final int maxBytes;
    private final String tooLong;

    /** Waits for the end of a line without a limit: a user types it. */
    public CommandReader(InputStream in) {
        this(in, FOREVER, PromptLine.MAX_BYTES, COMMAND_TOO_LONG);
    }

    /** For lines that are requests, with a marker character before the command. */
    CommandReader(InputStream in, HalfLines halfLines) {
        this(in, halfLines, PromptLine.MAX_BYTES + 1, COMMAND_TOO_LONG);
    }

    /** For what answers at a socket, which may be no run. */
    public static CommandReader ofReplies(InputStream in) {
        return new CommandReader(
                in,
                FOREVER,
                MAX_REPLY_BYTES,
                new NoRunException("a reply has more than " + MAX_REPLY_BYTES + " bytes").getMessage());
    }

    private CommandReader(InputStream in, HalfLines halfLines, int maxBytes, String tooLong) {
        this.in = in;
        this.halfLines = halfLines;
        this.maxBytes = maxBytes;
        this.tooLong = tooLong;
    }

    /**
     * The next line; empty at the end.
     *
     * @throws LineTooLongException if a line has too many bytes
     */
    public Optional<String> next() throws IOException {
        var line = new ByteArrayOutputStream();
        boolean half = false;
        int value = in.read();
        while (value >= 0 && value != '\n') {
            if (line.size() == maxBytes) {
                throw new LineTooLongException(tooLong);
            }
            line.write(value);
            if (!half && in.available() == 0) {
                half = true;
                halfLines.begun();
            }
            value = in.read();
        }
        if (half) {
            halfLines.ended();
        }
        return value < 0 && line.size() == 0 ? Optional.empty() : Optional.of(line.toString(StandardCharsets.UTF_8));
    }
}
