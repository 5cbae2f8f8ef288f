package io.hirundo.checkpoint;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Metadata in a model folder besides weights and architecture.
 *
 * @param beginOfText begin-of-text token id
 * @param endOfText end-of-text token ids; chat models have several
 * @param generation generation settings in the format's own keys; empty if there are none
 * @param license identifier of the Hugging Face Hub, for instance {@code apache-2.0}
 * @param publishedName published {@code organization/name}
 */
public record ModelNotes(
        OptionalInt beginOfText,
        List<Integer> endOfText,
        Map<String, Object> generation,
        Optional<String> license,
        Optional<String> publishedName) {
    /** No metadata. */
    public static final ModelNotes NONE =
            new ModelNotes(OptionalInt.empty(), List.of(), Map.of(), Optional.empty(), Optional.empty());

    public ModelNotes {
        endOfText = List.copyOf(endOfText);
        // Not Map.copyOf, which rejects null values and loses the order.
        generation = new LinkedHashMap<>(generation);
    }

    /** A copy with a tokenizer's ids where these notes have none. */
    public ModelNotes withIds(OptionalInt begin, OptionalInt end) {
        return new ModelNotes(
                beginOfText.isPresent() ? beginOfText : begin,
                endOfText.isEmpty() && end.isPresent() ? List.of(end.getAsInt()) : endOfText,
                generation,
                license,
                publishedName);
    }

    /** A copy with another license. */
    public ModelNotes withLicense(String license) {
        return new ModelNotes(beginOfText, endOfText, generation, Optional.of(license), publishedName);
    }
}
