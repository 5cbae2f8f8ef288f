package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code mesh.schedule.options}. Each component's annotation documents and bounds it; validation, help and the JSON schema
 * derive from it.
 *
 * @param eagerness warm-up forwards of a rank, per rank behind it
 */
public record __Name__Options(
        @Setting(
                value =
                        "Warm-up forwards of a rank, per rank behind it: 1 is 1F1B, 2 hides transfers for twice the activations",
                min = 1,
                max = 64)
        int eagerness) {
    /** The defaults. */
    public __Name__Options() {
        this(2);
    }
}
