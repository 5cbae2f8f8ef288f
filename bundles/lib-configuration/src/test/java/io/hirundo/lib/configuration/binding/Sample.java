package io.hirundo.lib.configuration.binding;

import io.hirundo.strategy.Choice;
import io.hirundo.strategy.Setting;
import java.util.List;
import java.util.Map;

/** A record with a setting of every type. */
public record Sample(
        @Setting(value = "Threads", min = 1, max = 8) int threads,
        @Setting("Bytes") long bytes,
        @Setting(value = "Rate", min = Double.MIN_VALUE) double rate,
        @Setting(value = "Share", min = 0, max = 1) float share,
        @Setting("Switch") boolean enabled,
        @Setting("Any text, or none") String text,

        @Setting(
                value = "Mode",
                allowed = {"fast", "exact"})
        String mode,

        @Setting("Type") Kind kind,
        @Setting(value = "Sizes", min = 2) List<Integer> sizes,
        @Setting("Weights by name") Map<String, Double> weights,
        @Setting("Part") Part part,
        @Setting("Parts") List<Part> parts,
        @Setting("Helper") Choice helper) {

    /** An enum with a constant of two words. */
    public enum Kind {
        PLAIN,
        FP8_E4M3
    }

    /** A nested record with one mandatory component. */
    public record Part(
            @Setting(value = "Where it lies", required = true)
            String path,

            @Setting("Times") int times) {
        public Part {
            if (times == 13) {
                throw new IllegalArgumentException("13 brings bad luck");
            }
        }

        /** The defaults. */
        public Part() {
            this(null, 1);
        }
    }

    /** The defaults, which differ from the defaults of Part. */
    public Sample() {
        this(
                4,
                1L << 40,
                0.5,
                0.25f,
                true,
                null,
                "fast",
                Kind.PLAIN,
                List.of(2, 3),
                Map.of("a", 1.0),
                new Part("x", 7),
                List.of(),
                Choice.of("none"));
    }
}
