package io.hirundo.checkpointdcp.internal.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.checkpointdcp.internal.format.Manifest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What commands say of checkpoints. */
public final class CheckpointText {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    private CheckpointText() {}

    /** In the largest unit of which it is two at least. */
    public static String age(Duration age) {
        long seconds = Math.max(0, age.toSeconds());
        if (seconds < 120) {
            return seconds + " s";
        }
        if (seconds < 2 * 3600) {
            return seconds / 60 + " min";
        }
        return seconds < 2 * 86_400 ? seconds / 3600 + " h" : seconds / 86_400 + " days";
    }

    public static String json(Object value) {
        try {
            return new JsonMapper().writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    public static String time(Instant time) {
        return TIME.format(time.atZone(ZoneId.systemDefault()));
    }

    /** When the manifest was written, which is the last that is. */
    public static Instant savedAt(Path folder) {
        // The epoch where there is no manifest.
        return Instant.ofEpochMilli(folder.resolve(Manifest.FILE).toFile().lastModified());
    }

    /** Of the ranks that saved: {@code tensor 2, data 4}; empty where the checkpoint does not say. */
    public static String layout(Manifest manifest) {
        if (!(manifest.values().get("layout") instanceof Map<?, ?> axes)) {
            return "";
        }
        String several = axes.entrySet().stream()
                .filter(axis -> !(axis.getValue() instanceof Number size && size.longValue() == 1))
                .map(axis -> axis.getKey() + " " + axis.getValue())
                .collect(Collectors.joining(", "));
        return several.isEmpty() ? "one rank" : several;
    }
}
