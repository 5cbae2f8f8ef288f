package io.hirundo.lib.configuration.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionTest {
    private static final List<String> MANY =
            IntStream.range(0, 40).mapToObj(index -> "someSetting" + index).toList();

    @Test
    void shortensLongListsAndNamesTheCommandThatPrintsAll() {
        String said = Suggestion.among("nothingLikeIt", MANY);
        assertTrue(said.startsWith("allowed: someSetting0, someSetting1, "), said);
        assertTrue(
                said.endsWith(", someSetting14, someSetting15 and 24 more; to print all: hirundo config reference"),
                said);
    }

    @Test
    void suggestsWordsThatTheShortenedListOmits() {
        String said = Suggestion.among("someSeting39", MANY);
        assertTrue(said.startsWith("did you mean \"someSetting39\"? allowed: someSetting0, "), said);
    }

    @Test
    void listsNothingForTextThatCannotBeAName() {
        for (String text : List.of("n".repeat(41), "\u000e".repeat(7))) {
            assertEquals("to print all that are allowed: hirundo config reference", Suggestion.among(text, MANY));
        }
    }

    @Test
    void showsAtLeastOneWord() {
        String name = "n".repeat(300);
        assertEquals(
                "allowed: " + name + " and 1 more; to print all: hirundo config reference",
                Suggestion.among("nothing", List.of(name, "other")));
    }

    /** The closest spelling of fp16 is fp64, which computes on nothing but the CPU. */
    @ParameterizedTest
    @CsvSource({
        "fp16, bf16",
        "FP16, bf16",
        "float16, bf16",
        "half, bf16",
        "bfloat16, bf16",
        "float32, fp32",
        "float64, fp64",
        "fp8, fp8-blockwise",
        "tensorwise, fp8-current",
        "hybrid, fp8-delayed",
        "bf61, bf16"
    })
    void suggestsPrecisionsForNamesOfOtherPrograms(String word, String meant) {
        var known = List.of("bf16", "fp32", "fp64", "fp8-blockwise", "fp8-current", "fp8-delayed");
        assertEquals(
                "did you mean \"" + meant + "\"? allowed: " + String.join(", ", known), Suggestion.among(word, known));
    }

    @ParameterizedTest
    @CsvSource({
        "Adam, adamw",
        "fused_adam, adamw",
        "ddp, zero1",
        "zero-3, fsdp",
        "nccl, mpi",
        "hf, huggingface",
        "max_steps, steps",
        "seq_length, sequenceTokens",
        "micro-batch-size, microBatch",
        "min_lr, finalRate"
    })
    void suggestsStrategiesAndSettingsForNamesOfOtherPrograms(String word, String meant) {
        String said = Suggestion.among(word, List.of("unrelated", meant));
        assertEquals("did you mean \"" + meant + "\"? allowed: unrelated, " + meant, said);
    }

    @Test
    void suggestsOnlyWhatIsAllowed() {
        assertEquals("allowed: fp32, fp64", Suggestion.among("amp", List.of("fp32", "fp64")));
    }
}
