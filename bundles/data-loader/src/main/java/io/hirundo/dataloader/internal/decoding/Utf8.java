package io.hirundo.dataloader.internal.decoding;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/** UTF-8 that is what it says. */
public final class Utf8 {
    private static final char REPLACEMENT = '\uFFFD';

    private Utf8() {}

    /**
     * Decodes, strictly.
     *
     * @param at where the bytes are in their file, for the message
     */
    public static String decode(byte[] bytes, int first, int count, long at) throws NotTextException {
        // The JDK's lenient decoder is much faster than its strict one, and shows by this character that it met
        // something.
        String text = new String(bytes, first, count, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0) {
            check(bytes, first, count, at);
        }
        if (text.indexOf('\0') >= 0) {
            int zero = first;
            while (bytes[zero] != 0) {
                zero++;
            }
            throw new NotTextException("is binary: byte " + (at + zero - first) + " is 0");
        }
        return text;
    }

    private static void check(byte[] bytes, int first, int count, long at) throws NotTextException {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer source = ByteBuffer.wrap(bytes, first, count);
        CharBuffer target = CharBuffer.allocate(1 << 12);
        while (true) {
            var result = decoder.decode(source, target.clear(), true);
            if (result.isError()) {
                throw new NotTextException("is not UTF-8 at byte " + (at + source.position() - first));
            }
            if (result.isUnderflow()) {
                return;
            }
        }
    }

    /** Bytes of a text in UTF-8. */
    public static long bytes(String text) {
        long bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x800) {
                // Of a surrogate pair each half counts two.
                bytes += Character.isSurrogate(c) ? 1 : 2;
            } else if (c >= 0x80) {
                bytes++;
            }
        }
        return bytes;
    }

    /** The text with every half of a surrogate pair that is alone replaced: JSON can say what UTF-8 cannot. */
    static String wellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return replaceLoneSurrogates(text);
            }
        }
        return text;
    }

    static long loneSurrogates(String text) {
        return text.codePoints().filter(Utf8::isSurrogate).count();
    }

    private static boolean isSurrogate(int point) {
        return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    }

    private static String replaceLoneSurrogates(String text) {
        var fixed = new StringBuilder(text.length());
        text.codePoints().forEach(point -> fixed.appendCodePoint(isSurrogate(point) ? REPLACEMENT : point));
        return fixed.toString();
    }
}
