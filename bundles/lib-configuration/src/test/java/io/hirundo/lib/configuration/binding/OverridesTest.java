package io.hirundo.lib.configuration.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.strategy.Choice;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverridesTest {
    private static Sample bind(String yaml, String... assignments) {
        Problems problems = new Problems();
        Map<String, Object> document =
                new Overrides(Sample.class).apply(Documents.parse("c", yaml, true), List.of(assignments), problems);
        Sample bound = new RecordBinder(ChoiceResolver.unchecked(), problems).bind(Sample.class, document, "");
        problems.throwIfAny("");
        return bound;
    }

    @Test
    void replacesAValueOfTheDocument() {
        Sample bound = bind("{threads: 2, part: {path: p, times: 3}}", "threads=3", " part.path = a=b ");
        assertEquals(3, bound.threads());
        assertEquals(new Sample.Part("a=b", 3), bound.part());
    }

    @Test
    void setsAValueThatTheDocumentLeavesOut() {
        Sample bound = bind("{}", "part.path=y", "weights.b=2", "bytes=1e3", "enabled=false", "kind=fp8-e4m3");
        assertEquals(new Sample.Part("y", 7), bound.part());
        assertEquals(Map.of("a", 1.0, "b", 2.0), bound.weights());
        assertEquals(1000, bound.bytes());
        assertEquals(Sample.Kind.FP8_E4M3, bound.kind());
    }

    @Test
    void setsListElementsByIndex() {
        assertEquals(List.of(2, 9), bind("{}", "sizes.1=9").sizes());
        assertEquals(List.of(9, 5), bind("sizes: [4, 5]", "sizes[0]=9").sizes());
        assertEquals(
                List.of(new Sample.Part("q", 4)),
                bind("parts: [{path: q}]", "parts[0].times=4").parts());
    }

    @Test
    void setsOptionsOfEveryFormOfAChoice() {
        assertEquals(
                new Choice("none", Map.of("n", 1L)),
                bind("{}", "helper.options.n=1").helper());
        assertEquals(
                new Choice("x", Map.of("n", 1L)),
                bind("helper: x", "helper.options.n=1").helper());
        assertEquals(
                new Choice("x", Map.of("m", 2L, "n", Map.of("k", true))),
                bind("helper: {name: x, options: {m: 2}}", "helper.options.n.k=true")
                        .helper());
        assertEquals(Choice.of("7"), bind("{}", "helper=7").helper());
        assertEquals(
                new Choice("x", Map.of("l", List.of(1L, 3L))),
                bind("helper: {name: x, options: {l: [1, 2]}}", "helper.options.l.1=3")
                        .helper());
    }

    @Test
    void readsValuesAsJsonYamlOrText() {
        assertEquals("2024", bind("{}", "text=2024").text());
        assertEquals("null and void", bind("{}", "text=null and void").text());
        assertEquals("a # b", bind("{}", "text=a # b").text());
        assertEquals("", bind("{}", "text=").text());
        assertEquals(null, bind("text: x", "text=null").text());
        assertEquals("true", bind("{}", "text=\"true\"").text());
        assertEquals(List.of(7, 8), bind("{}", "sizes=[7, 8]").sizes());
        assertEquals(
                new Choice("x", Map.of("word", "y")),
                bind("{}", "helper={name: x, options: {word: y}}").helper());
    }

    @Test
    void laterAssignmentsWin() {
        assertEquals(3, bind("{}", "threads=2", "threads=3").threads());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "threads | is not an assignment; allowed: path=value, training.steps=100 for instance",
                "=1 | is not an assignment; allowed: path=value, training.steps=100 for instance",
                "part.tims=1 | there is no part.tims; did you mean \"times\"? allowed: path, times",
                "part.=1 | there is no part.; allowed: path, times",
                "threads.x=1 | there is nothing below threads, which is a whole number from 1 to 8",
                "sizes.2=1 | there is no sizes.2; sizes has 2 elements, counted from 0",
                "sizes.-1=1 | there is no sizes.-1; sizes has 2 elements, counted from 0",
                "parts.0.path=x | there is no parts.0; parts has 0 elements, counted from 0",
                "helper.nam=x | there is no helper.nam; did you mean \"name\"? allowed: name, options",
                "helper.options.a.b.c=x | helper.options.a is text in the document, not an object",
                "sizes=[1 | value, line 1, column 3: a list [...] or an object {...} does not end, or lacks a comma; close it",
            })
    void rejectsUnknownPaths(String assignment, String message) {
        String document = "helper: {name: x, options: {a: t}}";
        assertEquals(
                "--set " + assignment + ": " + message,
                assertThrows(ConfigurationException.class, () -> bind(document, assignment))
                        .getMessage());
    }

    @Test
    void rejectsNumberForAStrategyAndListsItsNumericOptions() {
        String document = "helper: {name: x, options: {peak: 0.1, shape: y, steps: 3}}";
        assertEquals(
                "--set helper=0.0005: helper is a strategy, now x, not a number; its numbers are set one by one: "
                        + "helper.options.peak, helper.options.steps",
                assertThrows(ConfigurationException.class, () -> bind(document, "helper=0.0005"))
                        .getMessage());
        assertEquals(Choice.of("y"), bind(document, "helper=y").helper());
        assertEquals(
                Choice.of("7"),
                bind("helper: {name: x, options: {shape: y}}", "helper=7").helper());
    }

    @Test
    void checksValuesLikeThoseOfADocument() {
        assertEquals(
                "threads: \"two\" is text; allowed: a whole number from 1 to 8",
                assertThrows(ConfigurationException.class, () -> bind("{}", "threads=two"))
                        .getMessage());
    }

    @Test
    void shortensLongAssignments() {
        String message = assertThrows(
                        ConfigurationException.class, () -> bind("{}", "k".repeat(5_000) + "=" + "v".repeat(5_000)))
                .getMessage();
        assertTrue(message.length() < 350, message);
        message = assertThrows(ConfigurationException.class, () -> bind("{}", "threads=" + "v".repeat(5_000)))
                .getMessage();
        assertTrue(message.contains("more characters") && message.length() < 300, message);
    }

    @Test
    void rejectsPathsOfManyKeys() {
        String deep = "helper.options" + ".a".repeat(50_000) + "=1";
        String message = assertThrows(ConfigurationException.class, () -> bind("{}", deep))
                .getMessage();
        assertTrue(message.endsWith(": the path has 50002 keys; allowed: up to 100"), message);
    }
}
