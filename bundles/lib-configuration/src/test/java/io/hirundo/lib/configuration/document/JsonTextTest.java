package io.hirundo.lib.configuration.document;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.lib.configuration.binding.ChoiceResolver;
import io.hirundo.lib.configuration.binding.Problems;
import io.hirundo.lib.configuration.binding.RecordBinder;
import io.hirundo.lib.configuration.binding.Sample;
import io.hirundo.lib.configuration.binding.Trees;
import io.hirundo.strategy.Choice;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
    @Test
    void writesStableText() {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("a", List.of(1, "ü\"\n"));
        value.put("b", Map.of());
        value.put("c", 3e-4);
        value.put("d", null);
        assertEquals("""
        {
          "a": [
            1,
            "ü\\"\\n"
          ],
          "b": { },
          "c": 0.0003,
          "d": null
        }
        """, JsonText.pretty(value));
        assertEquals("{\"a\":[1,\"ü\\\"\\n\"],\"b\":{},\"c\":0.0003,\"d\":null}", JsonText.compact(value));
    }

    @ParameterizedTest
    @ValueSource(
            doubles = {
                0,
                1,
                -1,
                0.1,
                3e-4,
                1e-5,
                9.999e-6,
                1e-8,
                1e7,
                123456789.5,
                1e15,
                1e300,
                Double.MIN_VALUE,
                Double.MAX_VALUE,
                1.0 / 3
            })
    void readsBackEqualNumbers(double number) {
        assertEquals(number, Double.parseDouble(Numbers.text(number)));
        assertEquals((float) number, Float.parseFloat(Numbers.text((float) number)));
    }

    @Test
    void writesReadableNumbers() {
        assertEquals(
                List.of("1", "0.1", "0.00001", "1.0E-8", "10000000", "0.1"),
                List.of(
                        Numbers.text(1.0),
                        Numbers.text(0.1),
                        Numbers.text(1e-5),
                        Numbers.text(1e-8),
                        Numbers.text(1e7),
                        Numbers.text(0.1f)));
    }

    @Test
    void writesRecordsThatBindToEqualOnes() {
        Sample sample = new Sample(
                8,
                Long.MIN_VALUE,
                1e-300,
                0.1f,
                false,
                "t",
                "exact",
                Sample.Kind.FP8_E4M3,
                List.of(5),
                Map.of(),
                new Sample.Part("p", 3),
                List.of(new Sample.Part("q", 1)),
                new Choice("h", Map.of("n", 1L, "l", List.of())));
        String text = JsonText.pretty(Trees.of(sample));
        Problems problems = new Problems();
        Sample again = new RecordBinder(ChoiceResolver.unchecked(), problems)
                .bind(Sample.class, Documents.parse("c", text, false), "");
        problems.throwIfAny("");
        assertEquals(sample, again);
    }
}
