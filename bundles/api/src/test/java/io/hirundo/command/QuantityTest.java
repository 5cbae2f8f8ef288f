package io.hirundo.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "7, 7",
        "512, 512",
        "999.4, 999",
        "999.6, 1.00k",
        "12345, 12.3k",
        "8030261248, 8.03G",
        "1e15, 1000T",
        "NaN, NaN"
    })
    void compact(double value, String expected) {
        assertEquals(expected, Quantity.compact(value));
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1024, 1.00 KiB", "102236160, 97.5 MiB", "85899345920, 80.0 GiB"})
    void bytes(double value, String expected) {
        assertEquals(expected, Quantity.bytes(value));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "0.01234, 0.0123",
        "1.005, 1.00",
        "12.34, 12.3",
        "1234.6, 1230",
        "0.9996, 1.00",
        "Infinity, Infinity"
    })
    void significant(double value, String expected) {
        assertEquals(expected, Quantity.significant(value));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0.0s",
        "0.44, 0.4s",
        "9.94, 9.9s",
        "9.96, 10s",
        "59.4, 59s",
        "59.6, 1m 00s",
        "192, 3m 12s",
        "3599.4, 59m 59s",
        "3600, 1h 00m",
        "7500, 2h 05m",
        "86400, 1d 00h",
        "273600, 3d 04h"
    })
    void duration(double seconds, String expected) {
        assertEquals(expected, Quantity.duration(Math.round(seconds * 1e9)));
    }

    @Test
    void negativeNumberThatRoundsToZeroHasNoSign() {
        assertEquals("0.0000", Quantity.fixed(-0.0, 4));
        assertEquals("0.0000", Quantity.fixed(-0.00004, 4));
        assertEquals("-0.0001", Quantity.fixed(-0.00006, 4));
        assertEquals("0", Quantity.fixed(-0.4, 0));
        assertEquals("NaN", Quantity.fixed(Double.NaN, 4));
    }
}
