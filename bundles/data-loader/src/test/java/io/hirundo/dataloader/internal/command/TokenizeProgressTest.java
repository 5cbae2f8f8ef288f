package io.hirundo.dataloader.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class TokenizeProgressTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    private long nanos = 1;

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void showsOneLiveLineOnATerminal() {
        var progress = new TokenizeProgress(out, true, OptionalLong.of(20_000_000), () -> nanos);
        nanos += 100_000_000;
        progress.done(100_000, 20_000);
        assertEquals("", printed());
        nanos += 1_900_000_000;
        progress.done(8_000_000, 1_700_000);
        assertEquals("\rtokenizing   40%  4.0 MB/s  1,700,000 tokens  0:03 left\033[K", printed());
        progress.end();
        assertEquals("\r\033[K", printed().substring(printed().length() - 4));
    }

    @Test
    void printsPermanentLinesWithoutATerminal() {
        var progress = new TokenizeProgress(out, false, OptionalLong.empty(), () -> nanos);
        nanos += 10_000_000_000L;
        progress.done(8_000_000, 1_700_000);
        nanos += 1_000_000_000L;
        progress.done(9_000_000, 1_800_000);
        progress.end();
        assertEquals("tokenizing  8.0 MB  800 kB/s  1,700,000 tokens\n", printed());
    }

    @ParameterizedTest
    @CsvSource({
        "20MB, 20000000",
        "1.5GB, 1500000000",
        "512KiB, 524288",
        "7, 7",
        "3k, 3000",
        "2 gib, 2147483648",
        "10b, 10"
    })
    void parsesSizes(String text, long size) {
        assertEquals(size, new ByteSize().convert(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "MB", "1XB", "1i", "0.1", "1e6"})
    void rejectsInvalidSizes(String text) {
        assertThrows(TypeConversionException.class, () -> new ByteSize().convert(text));
    }
}
