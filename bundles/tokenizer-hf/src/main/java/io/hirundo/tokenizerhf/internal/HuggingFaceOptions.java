package io.hirundo.tokenizerhf.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.strategy.Setting;
import io.hirundo.tokenizerhf.internal.files.TextChoice;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Options of {@code huggingface}.
 *
 * @param file a {@code tokenizer.json}, or a folder that contains one
 * @param bos id of the token that begins a document, or {@code none}; null for the one that the files declare
 * @param eos id of the token that ends a document, or {@code none}; null for the one that the files declare
 * @param specialTokensInText whether {@code encode} turns the name of a special token into that token
 */
public record HuggingFaceOptions(
        @Setting(value = "A tokenizer.json, or a folder that has one", required = true)
        String file,

        @Setting(
                "Id of the token that begins each document and prompt, or `none`; by default the one that the folder declares")
        Object bos,

        @Setting("Id of the token that ends each document, or `none`; by default the one that the folder declares")
        Object eos,

        @Setting("Whether the name of a special token in a text becomes that token; otherwise it stays text")
        boolean specialTokensInText) {
    private static final String NONE = "none";

    public HuggingFaceOptions() {
        this("");
    }

    HuggingFaceOptions(String file) {
        this(file, null, null, false);
    }

    /**
     * {@code bos} and {@code eos}.
     *
     * @throws ConfigurationException if one is neither an id nor {@code none}
     */
    TextChoice choice() {
        return new TextChoice(chosen("bos", bos), chosen("eos", eos));
    }

    private static Optional<OptionalInt> chosen(String name, Object value) {
        String text = String.valueOf(value);
        if (value == null) {
            return Optional.empty();
        }
        if (text.equals(NONE)) {
            return Optional.of(OptionalInt.empty());
        }
        if (text.matches("\\d{1,9}")) {
            return Optional.of(OptionalInt.of(Integer.parseInt(text)));
        }
        throw new ConfigurationException("tokenizer huggingface: " + name + ": " + Excerpt.of(text)
                + " is wrong (allowed: an id from 0 on, or none)");
    }
}
