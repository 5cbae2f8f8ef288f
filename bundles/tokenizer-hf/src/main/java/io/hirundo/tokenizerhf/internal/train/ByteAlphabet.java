package io.hirundo.tokenizerhf.internal.train;

import java.nio.charset.StandardCharsets;

/**
 * GPT-2's mapping of bytes to visible characters, used to write tokens: a visible Latin-1 character stands for its byte, the other 68
 * bytes are U+0100 and on. Ids 0 to 255 follow the order of these characters.
 */
final class ByteAlphabet {
    static final int SIZE = 256;

    private final char[] characters = new char[SIZE];
    private final int[] idOfByte = new int[SIZE];

    ByteAlphabet() {
        int hidden = SIZE;
        int id = 0;
        for (int value = 0; value < SIZE; value++) {
            if (isVisible(value)) {
                characters[value] = (char) value;
                idOfByte[value] = id++;
            } else {
                characters[value] = (char) hidden++;
            }
        }
        for (int value = 0; value < SIZE; value++) {
            if (!isVisible(value)) {
                idOfByte[value] = id++;
            }
        }
    }

    private static boolean isVisible(int value) {
        return value >= '!' && value <= '~' || value >= 0xA1 && value <= 0xAC || value >= 0xAE && value <= 0xFF;
    }

    /** Token ids of a word's UTF-8 bytes. */
    int[] ids(String word) {
        byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
        int[] ids = new int[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            ids[i] = idOfByte[bytes[i] & 0xFF];
        }
        return ids;
    }

    /** The characters by id; each is a token. */
    String[] tokens() {
        String[] tokens = new String[SIZE];
        for (int value = 0; value < SIZE; value++) {
            tokens[idOfByte[value]] = String.valueOf(characters[value]);
        }
        return tokens;
    }
}
