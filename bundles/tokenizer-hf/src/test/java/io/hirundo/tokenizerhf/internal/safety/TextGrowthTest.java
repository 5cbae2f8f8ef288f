package io.hirundo.tokenizerhf.internal.safety;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextGrowthTest {
    private static TextGrowth growth(String... replacements) throws IOException {
        var json = new StringBuilder("{\"type\": \"Sequence\", \"normalizers\": [{\"type\": \"NFC\"}");
        for (String each : replacements) {
            String[] parts = each.split(">", -1);
            String kind = parts[0].startsWith("/") ? "Regex" : "String";
            json.append(", {\"type\": \"Replace\", \"pattern\": {\"" + kind + "\": \"" + parts[0].replace("/", "")
                    + "\"}, \"content\": \"" + parts[1] + "\"}");
        }
        return TextGrowth.of(new ObjectMapper().readTree(json + "]}"));
    }

    @ParameterizedTest
    @CsvSource({
        "'a>aa a>aa a>aa', aab, 17", // each a becomes 8
        "'a>b b>cc', ab, 4", // a to b to cc, b to cc
        "'a>aaaa', xyz, 3",
        "'a> ', a, 1",
        "'``>x', ````, 8", // an upper bound: not all need match
        "'xx>x xx>x xx>x', xxxx, 4", // shortens
        "'ab>abab', ab, 4",
        "'/b+>yes', bb, 6",
        "'/b*>yes', bb, 8", // between characters, too
    })
    void boundsLengthOfText(String replacements, String text, double expected) throws IOException {
        assertEquals(
                expected, growth(replacements.split("(?<=[^>]) |(?<=>) (?=.)")).charsOf(text));
    }
}
