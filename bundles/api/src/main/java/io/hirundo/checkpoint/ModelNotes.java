package io.hirundo.checkpoint;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a model's folder says about the model, beside its weights and architecture.
 *
 * @param beginOfText id of the token that begins a text
 * @param endOfText ids of the tokens that end a text; a chat model has several
 * @param generation settings for generating text, as the format stores them; empty if it stores none
 * @param license as the Hugging Face Hub names it, {@code apache-2.0} for instance
 * @param publishedName {@code organization/name} under which it is published
 */
public record ModelNotes(
    OptionalInt beginOfText,
    List<Integer> endOfText,
    Map<String, Object> generation,
    Optional<String> license,
    Optional<String> publishedName) {
  /** Nothing is known. */
  public static final ModelNotes NONE = new ModelNotes(OptionalInt.empty(), List.of(), Map.of(), Optional.empty(), Optional.empty());

  public ModelNotes {
    endOfText = List.copyOf(endOfText);
    // Not Map.copyOf: settings may be null, and keep their order.
    generation = new LinkedHashMap<>(generation);
  }

  /** The same, with the ids of a tokenizer where these notes have none. */
  public ModelNotes withIds(OptionalInt begin, OptionalInt end) {
    return new ModelNotes(
        beginOfText.isPresent() ? beginOfText : begin,
        endOfText.isEmpty() && end.isPresent() ? List.of(end.getAsInt()) : endOfText,
        generation,
        license,
        publishedName);
  }

  /** The same, with another license. */
  public ModelNotes withLicense(String license) {
    return new ModelNotes(beginOfText, endOfText, generation, Optional.of(license), publishedName);
  }
}
