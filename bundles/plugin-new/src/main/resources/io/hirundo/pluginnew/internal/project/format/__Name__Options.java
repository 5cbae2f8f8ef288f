package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code model.format.options} and {@code model.exportFormat.options}. Each component's annotation documents and bounds it;
 * validation, help and the JSON schema derive from it.
 *
 * @param verify whether checksums are compared
 */
public record __Name__Options(
        @Setting("Whether opening a model reads all its bytes and compares their checksums")
        boolean verify) {
    /** The defaults. */
    public __Name__Options() {
        this(true);
    }
}
