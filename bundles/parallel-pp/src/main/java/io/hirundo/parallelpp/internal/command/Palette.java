package io.hirundo.parallelpp.internal.command;

import io.hirundo.schedule.Action;
import java.util.Locale;

/** Colors of actions: a hue for each kind, lighter for later chunks, all readable under dark text. */
record Palette(int chunks) {
    private static final double LIGHTEST = 0.6;

    String fill(Action.Kind kind, int chunk) {
        int base = switch (kind) {
            case FORWARD -> 0x7AA6E8;
            case BACKWARD_INPUT -> 0xF2A65A;
            case BACKWARD_WEIGHT -> 0x74C69D;
        };
        double towardsWhite = chunks == 1 ? 0 : LIGHTEST * chunk / (chunks - 1);
        int color = 0;
        for (int shift = 16; shift >= 0; shift -= 8) {
            int part = base >> shift & 0xFF;
            color |= (int) Math.round(part + (0xFF - part) * towardsWhite) << shift;
        }
        return String.format(Locale.ROOT, "#%06X", color);
    }

    static String words(Action.Kind kind) {
        return switch (kind) {
            case FORWARD -> "forward";
            case BACKWARD_INPUT -> "backward, input";
            case BACKWARD_WEIGHT -> "backward, weight";
        };
    }
}
