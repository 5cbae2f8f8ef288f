package io.hirundo.runreport.internal.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.lib.input.BoundedLines;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.train.RunFolder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads {@code metrics.jsonl} and {@code config.json} of a run, which may still be running. */
public final class HistoryReader {
    private static final String METRICS = "metrics.jsonl";
    private static final int MAX_CONFIGURATION_BYTES = 16 << 20;
    private static final int MAX_LINE_BYTES = 4 << 20;

    private final JsonMapper mapper = new JsonMapper();
    private final Series loss = new Series();
    private final SortedMap<String, Series> validation = new TreeMap<>();
    private final Series learningRate = new Series();
    private final Series gradientNorm = new Series();
    private final Series tokensPerSecond = new Series();
    private final Map<String, Long> peakBytes = new LinkedHashMap<>();
    private final List<RunEvent> events = new ArrayList<>();
    private final List<Sample> samples = new ArrayList<>();
    private long tokens;
    private long stepNanos;
    private int unreadable;

    private HistoryReader() {}

    /**
     * Reads a run.
     *
     * @param folder of the run
     * @throws ConfigurationException if it is not the folder of a run
     * @throws DataException if the run has no metrics, or they cannot be read
     */
    public static RunHistory read(Path folder) {
        return new HistoryReader().readRun(folder.toAbsolutePath().normalize());
    }

    private RunHistory readRun(Path folder) {
        String configuration = configuration(folder);
        readMetrics(folder.resolve(METRICS));
        return new RunHistory(
                folder.getFileName().toString(),
                loss,
                validation,
                learningRate,
                gradientNorm,
                tokensPerSecond,
                tokens,
                stepNanos,
                peakBytes,
                events,
                samples,
                configuration,
                unreadable);
    }

    private String configuration(Path folder) {
        Path file = folder.resolve(RunFolder.CONFIGURATION);
        try {
            return mapper.readTree(InputFiles.readAllBytes(file, MAX_CONFIGURATION_BYTES))
                    .toPrettyString();
        } catch (NoSuchFileException e) {
            throw new ConfigurationException(
                    folder + ": is not a run, it has no " + RunFolder.CONFIGURATION + "; give runs/NAME", e);
        } catch (JsonProcessingException e) {
            throw new DataException(file + ": is not JSON; copy the run again", e);
        } catch (IOException e) {
            throw new DataException("cannot read the run: " + Reason.of(e), e);
        }
    }

    private void readMetrics(Path file) {
        try {
            InputFiles.requireRegular(file);
            try (InputStream in = Files.newInputStream(file)) {
                // A longer line than Hirundo writes counts as unreadable. The decoder replaces what is no UTF-8: a kill
                // may have cut the last
                // line within a character.
                BoundedLines.read(
                        in,
                        MAX_LINE_BYTES,
                        line -> readLine(new String(line, StandardCharsets.UTF_8)),
                        () -> unreadable++);
            }
        } catch (NoSuchFileException e) {
            throw new DataException(file + ": does not exist; train with the monitor jsonl, which is on by default", e);
        } catch (IOException e) {
            throw new DataException("cannot read the run's metrics: " + Reason.of(e), e);
        }
    }

    private void readLine(String line) {
        JsonNode node;
        try {
            node = mapper.readTree(line);
        } catch (JsonProcessingException cutShort) {
            unreadable++;
            return;
        }
        if (!node.isObject()) {
            unreadable++;
            return;
        }
        long step = node.path("step").asLong();
        if (node.has("loss") && node.has("stepNanos")) {
            step(step, node);
        } else if (node.has("evaluation")) {
            validation
                    .computeIfAbsent(node.get("evaluation").asText(), _ -> new Series())
                    .add(step, number(node, "loss"));
        } else if (node.has("sample")) {
            samples.add(new Sample(
                    step, node.path("prompt").asText(), node.get("sample").asText()));
        } else {
            event(step, node);
        }
    }

    private void step(long step, JsonNode node) {
        loss.add(step, number(node, "loss"));
        learningRate.add(step, number(node, "learningRate"));
        gradientNorm.add(step, number(node, "gradNorm"));
        tokensPerSecond.add(step, number(node, "tokensPerSecond"));
        tokens += node.path("tokens").asLong();
        stepNanos += node.path("stepNanos").asLong();
        node.path("peakBytes")
                .properties()
                .forEach(category ->
                        peakBytes.merge(category.getKey(), category.getValue().asLong(), Math::max));
    }

    /** The monitor writes null for what is not finite. */
    private static double number(JsonNode node, String field) {
        return node.path(field).asDouble(Double.NaN);
    }

    private void event(long step, JsonNode node) {
        if (node.has("checkpoint")) {
            String where = node.path("inMemory").asBoolean() ? " (in memory)" : "";
            add(
                    step,
                    RunEvent.Kind.CHECKPOINT,
                    node.get("checkpoint").asText() + where + ", "
                            + megabytes(node.path("bytes").asLong()) + ", saved in "
                            + seconds(node.path("saveNanos").asLong()));
        } else if (node.has("changed")) {
            String parity = node.path("parity").asText();
            add(
                    step,
                    RunEvent.Kind.CHANGE,
                    texts(node.get("changed")) + " (" + node.path("reason").asText() + "), pause "
                            + seconds(node.path("pauseNanos").asLong()) + (parity.isEmpty() ? "" : "; " + parity));
        } else if (node.has("refused")) {
            add(
                    step,
                    RunEvent.Kind.REJECTED,
                    texts(node.get("refused")) + ": " + node.path("reason").asText());
        } else if (node.has("paused")) {
            add(step, RunEvent.Kind.PAUSE, node.get("paused").asText());
        } else if (node.has("resumed")) {
            add(
                    step,
                    RunEvent.Kind.PAUSE,
                    "resumed after " + seconds(node.path("pauseNanos").asLong()));
        } else if (node.has("audit")) {
            add(
                    step,
                    RunEvent.Kind.PROBLEM,
                    "audit: wrong " + node.get("audit").asText() + " of "
                            + node.path("place").asText() + " on rank "
                            + node.path("rank").asText() + ", element ["
                            + node.path("row").asText() + ", "
                            + node.path("column").asText() + "] is "
                            + node.path("found").asText() + ", expected "
                            + node.path("expected").asText() + "; "
                            + node.path("replay").asText());
        } else if (node.has("rolledBack")) {
            add(
                    step,
                    RunEvent.Kind.PROBLEM,
                    "rolled back to here from step " + node.get("rolledBack").asText() + ": "
                            + node.path("reason").asText());
        } else if (node.has("passedOver")) {
            add(
                    step,
                    RunEvent.Kind.PROBLEM,
                    node.get("passedOver").asText() + " could not be loaded: "
                            + node.path("reason").asText());
        } else if (node.has("notCopied")) {
            add(
                    step,
                    RunEvent.Kind.PROBLEM,
                    "no copy in " + node.get("notCopied").asText() + ": "
                            + node.path("reason").asText());
        }
        // Other lines (kernels, messages, rounding) are for tools, not for this page.
    }

    private void add(long step, RunEvent.Kind kind, String text) {
        events.add(new RunEvent(step, kind, text));
    }

    private static String texts(JsonNode list) {
        var texts = new ArrayList<String>();
        list.forEach(each -> texts.add(each.asText()));
        return String.join(", ", texts);
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%,.1f MB", bytes / 1e6);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
    }
}
