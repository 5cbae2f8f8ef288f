package io.hirundo.lib.terminal;

import io.hirundo.lib.input.Excerpt;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Escapes control characters of names and texts from elsewhere on their way to standard output or standard error, whoever prints them.
 * Line feeds and tabs pass; on a terminal also the few sequences that draw progress and color. Thread-safe.
 */
public final class EscapingStream extends OutputStream {
    private static final int BUFFER_CHARS = 8192;

    /** Carriage return, erase the line, no wrapping and wrapping, colors. */
    private static final Pattern OURS = Pattern.compile("\r|\u001b\\[(?:K|\\?7[lh]|[0-9;]*m)");

    private static final Pattern NONE = Pattern.compile("(?!)");

    private final PrintStream out;
    private final Pattern passing;
    private final CharsetDecoder decoder;
    private ByteBuffer undecoded = ByteBuffer.allocate(0);

    private EscapingStream(PrintStream out, boolean isTerminal) {
        this.out = out;
        this.passing = isTerminal ? OURS : NONE;
        this.decoder = out.charset()
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
    }

    /** A stream in front of another one. */
    public static PrintStream before(PrintStream out, boolean isTerminal) {
        return new PrintStream(new EscapingStream(out, isTerminal), true, out.charset());
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        if (!undecoded.hasRemaining() && isPlain(bytes, offset, length)) {
            out.write(bytes, offset, length);
            return;
        }
        ByteBuffer all = ByteBuffer.allocate(undecoded.remaining() + length)
                .put(undecoded)
                .put(bytes, offset, length)
                .flip();
        CharBuffer chars = CharBuffer.allocate(BUFFER_CHARS);
        do {
            decoder.decode(all, chars.clear(), false);
            print(chars.flip().toString());
        } while (chars.limit() > 0);
        // Part of a character, of which the rest comes with the next write.
        undecoded = all.slice();
    }

    /** Printable ASCII. */
    private static boolean isPlain(byte[] bytes, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if ((bytes[i] < ' ' && bytes[i] != '\n' && bytes[i] != '\t') || bytes[i] == 0x7f) {
                return false;
            }
        }
        return true;
    }

    private void print(String text) {
        var shown = new StringBuilder(text.length());
        Matcher ours = passing.matcher(text);
        int at = 0;
        while (ours.find()) {
            escape(text.substring(at, ours.start()), shown);
            shown.append(ours.group());
            at = ours.end();
        }
        escape(text.substring(at), shown);
        out.print(shown);
    }

    private static void escape(String text, StringBuilder shown) {
        for (int begin = 0; begin < text.length(); ) {
            int end = begin;
            while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\t') {
                end++;
            }
            shown.append(Excerpt.printable(text.substring(begin, end)));
            if (end < text.length()) {
                shown.append(text.charAt(end));
            }
            begin = end + 1;
        }
    }

    @Override
    public void flush() {
        out.flush();
    }
}
