package org.example.olmo2;

import io.hirundo.family.FamilyFormat;
import io.hirundo.lib.golden.FamilyGoldens;

/** The format against folders that the Transformers library saved, and what it computed with them. */
class Olmo2GoldensTest extends FamilyGoldens<Olmo2Options> {
    @Override
    protected FamilyFormat<Olmo2Options> format() {
        return new Olmo2HuggingFace();
    }
}
