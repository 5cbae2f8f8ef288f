package io.hirundo.control.internal.socket;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Prefixes each line with the output marker, so that a command's output cannot imitate other replies. */
final class MarkedOutput extends OutputStream {
    private final OutputStream out;
    private boolean atLineStart = true;

    MarkedOutput(OutputStream out) {
        this.out = out;
    }

    @Override
    public synchronized void write(int value) throws IOException {
        if (atLineStart) {
            out.write(Reply.Kind.OUTPUT.mark());
        }
        out.write(value);
        atLineStart = value == '\n';
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        for (int i = offset; i < offset + length; i++) {
            write(bytes[i]);
        }
    }

    /** Sends a reply on a line of its own, even after an unfinished line of output. */
    synchronized void send(Reply reply) throws IOException {
        if (!atLineStart) {
            write('\n');
        }
        out.write((reply.line() + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Override
    public synchronized void flush() throws IOException {
        out.flush();
    }
}
