package io.hirundo.lib.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonInputTest {
    private static final String SOUND = "{\"a\":[1,2.5,null,true,false,\"x\"],\"b\":{\"c\":99999999999999999999}}";

    private static JsonInput open(byte[] text) {
        return new JsonInput(text, 0, text.length, "here", IllegalStateException::new);
    }

    private static Object read(byte[] text) {
        try (var in = open(text)) {
            Object value = in.anything();
            in.end();
            return value;
        }
    }

    private static Object read(String text) {
        return read(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String rejection(String text) {
        return assertThrows(IllegalStateException.class, () -> read(text)).getMessage();
    }

    @Test
    void readsAllKindsOfValues() {
        var expected = Map.of(
                "a",
                Arrays.asList(1L, 2.5, null, true, false, "x"),
                "b",
                Map.of("c", new BigInteger("99999999999999999999")));
        assertEquals(expected, read(SOUND));
        assertEquals(7L, read(" 7 "));
    }

    @Test
    void namesFieldsByPath() {
        assertEquals("here: field a[1].b is there twice", rejection("{\"a\":[0,{\"b\":1,\"b\":2}]}"));
        assertEquals("here: field a.b is 1e999 (allowed: a finite number)", rejection("{\"a\":{\"b\":1e999}}"));
        try (var in = open("{\"a\":{}}".getBytes(StandardCharsets.UTF_8))) {
            Map<String, java.util.function.Supplier<?>> inner = Map.of("b", in::text);
            var failure = assertThrows(
                    IllegalStateException.class,
                    () -> in.object(Map.of("a", () -> in.object(inner, Map.of())), Map.of()));
            assertEquals("here: field a.b is missing", failure.getMessage());
        }
    }

    @Test
    void rejectsTruncatedText() {
        byte[] sound = SOUND.getBytes(StandardCharsets.UTF_8);
        for (int length = 0; length < sound.length; length++) {
            byte[] part = Arrays.copyOf(sound, length);
            assertThrows(IllegalStateException.class, () -> read(part));
        }
    }

    @Test
    void rejectsOrReadsEveryMutation() {
        byte[] sound = SOUND.getBytes(StandardCharsets.UTF_8);
        var random = new Random(5);
        for (int attempt = 0; attempt < 20_000; attempt++) {
            byte[] mutated = sound.clone();
            for (int change = 0; change <= random.nextInt(3); change++) {
                mutated[random.nextInt(sound.length)] =
                        (byte) (random.nextBoolean() ? random.nextInt() : "{}[],:\"\\0e-.".charAt(random.nextInt(12)));
            }
            try {
                read(mutated);
            } catch (IllegalStateException e) {
                assertEquals(1, e.getMessage().lines().count(), e.getMessage());
                assertTrue(e.getMessage().startsWith("here") && e.getMessage().length() < 400, e.getMessage());
            }
        }
    }

    @Test
    void boundsNestingNamesNumbersAndValues() {
        assertTrue(rejection("[".repeat(65) + "]".repeat(65)).contains("nested more than 64 levels deep"));
        assertTrue(rejection("{\"" + "n".repeat(10_001) + "\":1}").contains("a name or number that is too long"));
        assertTrue(rejection("1".repeat(101)).contains("a name or number that is too long"));
        assertTrue(rejection("[" + "0,".repeat(1_000_000) + "0]").contains("exceeds the 1000000 values"));
        assertEquals(List.of(), read("[]"));
    }
}
