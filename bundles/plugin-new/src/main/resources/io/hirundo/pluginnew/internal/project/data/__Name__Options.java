package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code data.source.options}. Each component's annotation documents and bounds it; validation, help and the JSON schema
 * derive from it.
 *
 * @param file whose bytes are the tokens
 * @param validation fraction of the file, at its end, that is held out
 */
public record __Name__Options(
        @Setting(value = "File whose bytes are the tokens, 0 to 255", required = true)
        String file,

        @Setting(value = "Fraction of the file, at its end, that is held out for validation", min = 0, max = 0.9)
        double validation) {
    /** The defaults. */
    public __Name__Options() {
        this("", 0.05);
    }
}
