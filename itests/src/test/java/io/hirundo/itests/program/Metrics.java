package io.hirundo.itests.program;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The contents of a run's {@code metrics.jsonl}.
 *
 * @param lines one object each
 */
public record Metrics(List<JsonNode> lines) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Reads the metrics of a run directory, also while the run continues to write them. */
    public static Metrics of(Path run) throws IOException {
        Path file = run.resolve("metrics.jsonl");
        List<JsonNode> lines = new ArrayList<>();
        if (Files.exists(file)) {
            String text = Files.readString(file);
            // The last line may still be incomplete.
            for (String line :
                    text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
                lines.add(JSON.readTree(line));
            }
        }
        return new Metrics(lines);
    }

    /** Lines of rejected change requests. */
    public List<JsonNode> rejected() {
        return of("rejected");
    }

    /** Lines of a kind: {@code changed}, {@code paused}, {@code resumed}. */
    public List<JsonNode> of(String kind) {
        return lines.stream().filter(line -> line.has(kind)).toList();
    }

    public List<Long> steps() {
        return of("gradNorm").stream().map(line -> line.get("step").asLong()).toList();
    }

    public List<Double> losses() {
        return of("gradNorm").stream().map(line -> line.get("loss").asDouble()).toList();
    }

    /** Of the last step. */
    public long lastStep() {
        List<Long> steps = steps();
        return steps.isEmpty() ? 0 : steps.getLast();
    }
}
