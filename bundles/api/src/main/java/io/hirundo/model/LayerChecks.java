package io.hirundo.model;

import java.util.List;

/** What layer kinds require of their values. All throw {@link IllegalArgumentException}, which names the layer. */
final class LayerChecks {
    private LayerChecks() {}

    static void requirePositive(String layer, String name, double value) {
        if (!(value > 0 && Double.isFinite(value))) {
            throw new IllegalArgumentException(layer + ": " + name + " is " + value + " (allowed: positive numbers)");
        }
    }

    static void requireFinite(String layer, String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(layer + ": " + name + " is " + value + " (allowed: finite numbers)");
        }
    }

    /** {@code what}: what the layer does with the activation, before the number of sections. */
    static void requireOneSection(String layer, String what, Activation activation) {
        if (activation.sections().size() != 1) {
            throw new IllegalArgumentException(
                    layer + ": " + what + " " + activation.sections().size() + " sections (allowed: 1)");
        }
    }

    static void requireOneForEach(String layer, List<String> vectors, Activation on) {
        if (vectors.size() != on.sections().size()) {
            throw new IllegalArgumentException(layer + ": " + vectors.size() + " vectors for "
                    + on.sections().size() + " sections (allowed: one for each)");
        }
    }
}
