package io.hirundo.modelllama.internal;

import io.hirundo.family.FamilyFormat;
import io.hirundo.lib.golden.FamilyGoldens;

/** Folders of this family as the Transformers library saves them, and the published models. */
class LlamaGoldensTest extends FamilyGoldens<LlamaOptions> {
    @Override
    protected FamilyFormat<LlamaOptions> format() {
        return LlamaFormat.HUGGING_FACE;
    }
}
