package io.hirundo.modelgemma2.internal;

import io.hirundo.family.FamilyFormat;
import io.hirundo.lib.golden.FamilyGoldens;

/** Folders of this family as the Transformers library saves them, and the published models. */
class Gemma2GoldensTest extends FamilyGoldens<Gemma2Options> {
    @Override
    protected FamilyFormat<Gemma2Options> format() {
        return new Gemma2HuggingFace();
    }
}
