package io.hirundo.checkpoint;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Content of the model card and metadata of a trained model.
 *
 * @param title of the model
 * @param notes token ids, generation settings and license; the published name is that of the base model
 * @param startedFrom name of the base model
 * @param dataLicense license of the training data
 * @param facts about the training by name, in display order: steps, tokens, optimizer
 */
public record ModelDescription(
        String title,
        ModelNotes notes,
        Optional<String> startedFrom,
        Optional<String> dataLicense,
        SequencedMap<String, String> facts) {
    public ModelDescription {
        facts = Collections.unmodifiableSequencedMap(new LinkedHashMap<>((Map<String, String>) facts));
    }
}
