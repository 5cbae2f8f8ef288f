package io.hirundo.checkpointdcp.internal.format;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Name of a checkpoint's folder: {@code step-00000100}, or {@code step-00000100.r1} for one that was saved at a step that had
 * one already. The former stays until the new one is safe: at no moment is there neither.
 *
 * @param revision 0 for the first
 */
public record CheckpointName(long step, int revision) implements Comparable<CheckpointName> {
    private static final Pattern NAME = Pattern.compile("step-(\\d{8,18})(?:\\.r(\\d{1,9}))?");
    private static final Comparator<CheckpointName> ORDER =
            Comparator.comparingLong(CheckpointName::step).thenComparingInt(CheckpointName::revision);

    /** None is behind it. */
    public static final CheckpointName LATEST_POSSIBLE = new CheckpointName(Long.MAX_VALUE, Integer.MAX_VALUE);

    /** Empty for the name of something else. */
    public static Optional<CheckpointName> of(Path folder) {
        Matcher matcher = NAME.matcher(folder.getFileName().toString());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int revision = matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2));
        return Optional.of(new CheckpointName(Long.parseLong(matcher.group(1)), revision));
    }

    public CheckpointName next() {
        return new CheckpointName(step, revision + 1);
    }

    /** Older first. */
    @Override
    public int compareTo(CheckpointName other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return "step-%08d".formatted(step) + (revision == 0 ? "" : ".r" + revision);
    }
}
