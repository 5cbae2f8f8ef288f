package io.hirundo.lib.inference.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrintableTextTest {
    /** Adds bytes one at a time, decoded as byte-level tokenizers do, and joins the printed pieces with |. */
    private static String printed(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        var text = new PrintableText();
        var pieces = new StringBuilder();
        for (int count = 1; count <= bytes.length; count++) {
            pieces.append(text.add(new String(Arrays.copyOf(bytes, count), StandardCharsets.UTF_8)))
                    .append('|');
        }
        return pieces + text.rest();
    }

    @ParameterizedTest
    @CsvSource({
        "61 62, a|b|",
        "c3a9 61, |\u00e9|a|",
        "f09f9880 61, |||\ud83d\ude00|a|",
        // Never valid.
        "ff 61, |\ufffda|",
        "80808080 61, |||\ufffd|\ufffd\ufffd\ufffda|",
        // A valid start without a continuation byte.
        "e282 61, ||\ufffda|",
        // The text ends inside a character.
        "61 e282, a|||\ufffd",
        "ff, |\ufffd"
    })
    void printsReplacementCharacterForInvalidBytes(String hex, String pieces) {
        assertEquals(pieces, printed(hex.replace(" ", "")));
    }

    /** SentencePiece's byte tokens: each byte of an invalid sequence decodes to one replacement character. */
    @Test
    void printsByteSequencesThatBecomeInvalid() {
        var text = new PrintableText();
        assertEquals("", text.add("\ufffd"));
        assertEquals("\u00e9", text.add("\u00e9"));
        assertEquals("", text.add("\ufffd\ufffd\ufffd"));
        assertEquals("\ufffd\ufffda", text.add("\ufffd\ufffd\ufffda"));
        assertEquals("", text.rest());
        assertEquals("", text.add("b"));
    }
}
