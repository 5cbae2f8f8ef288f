package io.hirundo.lib.configuration.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.Setting;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordBinderTest {
    private static Sample bind(String yaml) {
        Problems problems = new Problems();
        Map<String, Object> values = Documents.parse("sample", yaml, true);
        Sample sample = new RecordBinder(ChoiceResolver.unchecked(), problems).bind(Sample.class, values, "");
        problems.throwIfAny("");
        return sample;
    }

    @Test
    void bindsAnEmptyDocumentToTheDefaults() {
        assertEquals(new Sample(), bind("{}"));
    }

    @Test
    void bindsEveryType() {
        Sample expected = new Sample(
                8,
                -5,
                3e-4,
                0.1f,
                false,
                "t",
                "exact",
                Sample.Kind.FP8_E4M3,
                List.of(5),
                Map.of("b", 2.0, "c", 1e3),
                new Sample.Part("p", 3),
                List.of(new Sample.Part("q", 1)),
                new Choice("h", Map.of("n", 1L)));
        Sample bound = bind("""
            threads: 8
            bytes: -5
            rate: 3e-4
            share: 0.1
            enabled: false
            text: t
            mode: exact
            kind: fp8-e4m3
            sizes: [5]
            weights: {b: 2, c: 1.0e3}
            part: {path: p, times: 3}
            parts: [{path: q}]
            helper: {name: h, options: {n: 1}}
            """);
        assertEquals(expected, bound);
    }

    @Test
    void mergesNestedRecordsWithTheDefaultsOfTheParent() {
        assertEquals(7, new Sample().part().times());
        assertEquals(2, bind("part: {path: y, times: 2}").part().times());
        assertEquals(7, bind("part: {path: y}").part().times());
    }

    @Test
    void takesRequiredValuesFromTheEnclosingRecord() {
        assertEquals(new Sample.Part("x", 2), bind("part: {times: 2}").part());
    }

    @Test
    void acceptsIntegersWithAPointOrAnExponent() {
        assertEquals(1000, bind("bytes: 1.0e3").bytes());
        assertEquals(2, bind("threads: 2.0").threads());
        assertEquals(Long.MAX_VALUE, bind("bytes: 9223372036854775807").bytes());
        assertEquals(3, bindValue("threads", new BigDecimal("30e-1")).threads());
        assertEquals(3, bindValue("threads", 3.0f).threads());
    }

    @Test
    void allowsNullIfItIsTheDefault() {
        assertEquals(new Sample(), bind("text: null"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "thread: 2 | thread: unknown key; did you mean \"threads\"? " + ALL,
                "zzzzzzz: 2 | zzzzzzz: unknown key; " + ALL,
                "threads: \"12\" | threads: \"12\" is text; allowed: a whole number from 1 to 8",
                "threads: 0 | threads: 0 is too small; allowed: a whole number from 1 to 8",
                "threads: 9 | threads: 9 is too large; allowed: a whole number from 1 to 8",
                "threads: 1.5 | threads: 1.5 is not an integer; allowed: a whole number from 1 to 8",
                "threads: true | threads: true is a truth value; allowed: a whole number from 1 to 8",
                "threads: null | threads: null is not allowed; allowed: a whole number from 1 to 8",
                "threads: [1] | threads: [1] is a list; allowed: a whole number from 1 to 8",
                "threads: {a: 1} | threads: {a} is an object; allowed: a whole number from 1 to 8",
                "threads: 1e999999999 | threads: 1E+999999999 is out of range; allowed: a whole number from 1 to 8",
                "bytes: 9223372036854775808 | bytes: 9223372036854775808 is too large; allowed: a whole number from"
                        + " -9223372036854775808 to 9223372036854775807",
                "sizes: [4000000000] | sizes[0]: 4000000000 is too large; allowed: a whole number from 2 to 2147483647",
                "rate: 0 | rate: 0 is too small; allowed: a number above 0",
                "rate: 1e400 | rate: 1E+400 is out of range; allowed: a number above 0",
                "rate: 1e309 | rate: 1E+309 is out of range; allowed: a number above 0",
                "rate: fast | rate: \"fast\" is text; allowed: a number above 0",
                "share: 1.01 | share: 1.01 is too large; allowed: a number from 0 to 1",
                "share: 1e39 | share: 1E+39 is out of range; allowed: a number from 0 to 1",
                "enabled: 1 | enabled: 1 is a number; allowed: true or false",
                "enabled: \"true\" | enabled: \"true\" is text; allowed: true or false",
                "text: 12 | text: 12 is a number; allowed: text",
                "mode: exat | mode: \"exat\" is unknown; did you mean \"exact\"? allowed: fast, exact",
                "mode: null | mode: null is not allowed; allowed: fast, exact",
                "kind: FP8_E4M3 | kind: \"FP8_E4M3\" is unknown; did you mean \"fp8-e4m3\"? allowed: plain, fp8-e4m3",
                "sizes: 3 | sizes: 3 is a number; allowed: a list, each element of it a whole number of at least 2",
                "sizes: [2, 1] | sizes[1]: 1 is too small; allowed: a whole number of at least 2",
                "sizes: [null] | sizes[0]: null is not allowed; allowed: a whole number of at least 2",
                "weights: [1] | weights: [1] is a list; allowed: an object, each value in it a number",
                "weights: {a: x} | weights.a: \"x\" is text; allowed: a number",
                "part: x | part: \"x\" is text; allowed: an object with path, times",
                "part: {path: null} | part.path: null is not allowed; allowed: text",
                "parts: [{}] | parts[0].path: missing: Where it lies; allowed: text",
                "parts: [{path: a, tims: 1}] | parts[0].tims: unknown key; did you mean \"times\"? allowed: path, times",
                "part: {path: a, times: 13} | part: 13 brings bad luck",
                "helper: 3 | helper: 3 is a number; allowed: a name, or an object with name and options",
                "helper: \"\" | helper: \"\" is text; allowed: a name, or an object with name and options",
                "helper: {options: {}} | helper.name: missing: Which strategy; allowed: text",
                "helper: {name: a, option: {}} | helper.option: unknown key; did you mean \"options\"? allowed: name, options",
                "helper: {name: a, options: [1]} | helper.options: [1] is a list; allowed: an object, each value in it any value",
            })
    void rejectsInvalidDocuments(String yaml, String message) {
        assertEquals(
                message,
                assertThrows(ConfigurationException.class, () -> bind(yaml)).getMessage());
    }

    private static final String ALL =
            "allowed: threads, bytes, rate, share, enabled, text, mode, kind, sizes, weights, part, parts, helper";

    @Test
    void reportsAllErrorsTogether() {
        var failure = assertThrows(ConfigurationException.class, () -> bind("{threads: 0, part: {path: 1}, x: 1}"));
        assertEquals("""
        3 settings are wrong
          x: unknown key; %s
          threads: 0 is too small; allowed: a whole number from 1 to 8
          part.path: 1 is a number; allowed: text\
        """.formatted(ALL), failure.getMessage());
        assertEquals(78, failure.exitCode());
    }

    @Test
    void checksValuesThatComeFromCode() {
        assertEquals(
                "rate: NaN is out of range; allowed: a number above 0",
                assertThrows(ConfigurationException.class, () -> bindValue("rate", Double.NaN))
                        .getMessage());
        assertEquals(
                "threads: x is of type java.lang.StringBuilder; allowed: a whole number from 1 to 8",
                assertThrows(ConfigurationException.class, () -> bindValue("threads", new StringBuilder("x")))
                        .getMessage());
    }

    @Test
    void rejectsTextWithNulCharacterWhichNoPathHolds() {
        assertEquals(
                "text: \"a\\u0000b\" has a NUL character; allowed: text",
                assertThrows(ConfigurationException.class, () -> bindValue("text", "a\0b"))
                        .getMessage());
    }

    @Test
    void shortensLongValuesInMessages() {
        String message = assertThrows(ConfigurationException.class, () -> bindValue("threads", "x\n".repeat(100)))
                .getMessage();
        assertEquals(
                "threads: \"" + "x\\u000a".repeat(8) + "x...(178 more characters)...\\u000a" + "x\\u000a".repeat(2)
                        + "\" is text; allowed: a whole number from 1 to 8",
                message);
    }

    /** A record without a constructor for defaults. */
    private record Bare(@Setting("A") int a, @Setting("B") String b) {}

    @Test
    void requiresEverySettingWithoutDefaults() {
        Problems problems = new Problems();
        var binder = new RecordBinder(ChoiceResolver.unchecked(), problems);
        assertEquals(new Bare(1, "x"), binder.bind(Bare.class, Map.of("a", 1, "b", "x"), "bare"));
        binder.bind(Bare.class, Map.of("a", 1), "bare");
        assertEquals(
                "bare.b: missing: B; allowed: text",
                assertThrows(ConfigurationException.class, () -> problems.throwIfAny(""))
                        .getMessage());
    }

    private record Unbindable(StringBuilder builder) {
        private Unbindable() {
            this(null);
        }
    }

    @Test
    void failsForComponentTypesThatDocumentsCannotHold() {
        var binder = new RecordBinder(ChoiceResolver.unchecked(), new Problems());
        assertEquals(
                "a setting cannot be of type class java.lang.StringBuilder: " + Unbindable.class.getName() + ".builder",
                assertThrows(IllegalStateException.class, () -> binder.bind(Unbindable.class, Map.of(), ""))
                        .getMessage());
    }

    private static Sample bindValue(String key, Object value) {
        Problems problems = new Problems();
        Sample bound =
                new RecordBinder(ChoiceResolver.unchecked(), problems).bind(Sample.class, Map.of(key, value), "");
        problems.throwIfAny("");
        return bound;
    }
}
