package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code data.tokenizer.options}. Each component's annotation documents and bounds it; validation, help and the JSON schema
 * derive from it.
 *
 * @param endOfText whether there is a token that ends a document
 */
public record __Name__Options(
        @Setting("Whether token 256 ends a document: the vocabulary then has 257 tokens instead of 256")
        boolean endOfText) {
    /** The defaults. */
    public __Name__Options() {
        this(true);
    }
}
