package io.hirundo.lib.family;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.model.Architecture;
import java.util.List;
import java.util.Map;

/**
 * A family's Hugging Face format whose tensors are the parameters, under their published names and in their shapes. Embedding and head have
 * the names of nearly all decoders.
 *
 * @param <O> the options of the family's architecture
 */
public abstract class PublishedFormat<O extends Record> implements FamilyFormat<O> {
    /** Stored name of the token embedding. */
    public static final String EMBEDDING = "model.embed_tokens.weight";

    /** Stored name of the output projection. */
    public static final String HEAD = "lm_head.weight";

    /** The architecture with these options. */
    protected abstract Architecture architecture(O options);

    /** Whether the output projection is the embedding. */
    protected abstract boolean isTied(O options);

    @Override
    public final String format() {
        return HUGGING_FACE;
    }

    @Override
    public final String embedding() {
        return EMBEDDING;
    }

    @Override
    public final List<StoredTensor> tensors(O options) {
        return PublishedTensors.of(architecture(options).describe());
    }

    /** A tied head that is stored nevertheless. */
    @Override
    public final Map<String, String> copies(O options) {
        return isTied(options) ? Map.of(HEAD, EMBEDDING) : Map.of();
    }
}
