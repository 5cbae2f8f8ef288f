package io.hirundo.dataloader.internal.decoding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {
    @ParameterizedTest
    @ValueSource(
            strings = {"", "a", "\u007f\u0080", "\u07ff\u0800", "日本語\uffff", "a🙂é", "\uFFFD is itself a character"})
    void keepsTheBytesOfText(String text) throws NotTextException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertEquals(bytes.length, Utf8.bytes(text));
        assertEquals(text, Utf8.decode(bytes, 0, bytes.length, 0));
        assertEquals(text, Utf8.wellFormed(text));
    }

    @Test
    void findsAnErrorFarFromTheBeginning() {
        byte[] bytes = "é".repeat(50_000).getBytes(StandardCharsets.UTF_8);
        bytes[80_001] = 'x';
        var failure = assertThrows(NotTextException.class, () -> Utf8.decode(bytes, 2, bytes.length - 2, 1_002));
        assertTrue(failure.getMessage().endsWith("byte 81000"), failure::getMessage);
    }
}
