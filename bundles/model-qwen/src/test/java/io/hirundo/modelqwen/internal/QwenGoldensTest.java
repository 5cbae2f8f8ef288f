package io.hirundo.modelqwen.internal;

import io.hirundo.family.FamilyFormat;
import io.hirundo.lib.golden.FamilyGoldens;

/** Folders of this family as the Transformers library saves them, and the published models. */
class QwenGoldensTest extends FamilyGoldens<QwenOptions> {
    @Override
    protected FamilyFormat<QwenOptions> format() {
        return new QwenHuggingFace();
    }
}
