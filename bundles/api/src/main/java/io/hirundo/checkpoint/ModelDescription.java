package io.hirundo.checkpoint;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What a format writes about a model that was trained, for those who use it.
 *
 * @param title of the model
 * @param notes ids, generation settings and license of the model; the published name is that of the model it started from
 * @param startedFrom name of the model that the training started from
 * @param dataLicense license of the training data
 * @param facts of the training by name, in the order to be shown: steps, tokens, optimizer
 */
public record ModelDescription(
    String title, ModelNotes notes, Optional<String> startedFrom, Optional<String> dataLicense, SequencedMap<String, String> facts) {
  public ModelDescription {
    facts = Collections.unmodifiableSequencedMap(new LinkedHashMap<>((Map<String, String>) facts));
  }
}
