package io.hirundo.regress.internal.golden;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.TensorFingerprint;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.JsonComplaint;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.tensor.DType;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Writes and reads results as JSON, without loss: numbers have the shortest exact form, and projections are the Base64 text of their bytes,
 * big-endian, in half as many characters.
 */
public final class GoldenFile {
    static final int SCHEMA_VERSION = 1;
    private static final int LARGEST_BYTES = 256 << 20;

    private GoldenFile() {}

    /**
     * Replaces the file atomically.
     *
     * @throws StorageException if the file cannot be written
     */
    public static void write(Path file, Golden golden) {
        try {
            AtomicFile.write(file, out -> write(out, golden));
        } catch (IOException failure) {
            throw new StorageException("cannot write " + OutputFiles.explain(file, failure), failure);
        }
    }

    private static void write(OutputStream out, Golden golden) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.setPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter(" ", "\n")));
            json.writeStartObject();
            json.writeNumberField("schemaVersion", SCHEMA_VERSION);
            texts(json, "machine", golden.environment().machine());
            texts(json, "versions", golden.environment().versions());
            json.writeArrayFieldStart("cases");
            // Many cases have fingerprints bitwise equal to those of another case, which are written only once.
            Map<List<FingerprintsTaken>, String> written = new HashMap<>();
            for (CaseRecord each : golden.cases()) {
                writeCase(json, each, written.putIfAbsent(each.fingerprints(), each.name()));
            }
            json.writeEndArray();
            json.writeEndObject();
            json.writeRaw("\n");
        }
    }

    private static void texts(JsonGenerator json, String name, Map<String, String> texts) throws IOException {
        json.writeObjectFieldStart(name);
        for (var each : texts.entrySet()) {
            json.writeStringField(each.getKey(), each.getValue());
        }
        json.writeEndObject();
    }

    /** {@code same}: an earlier case with equal fingerprints, or null. */
    private static void writeCase(JsonGenerator json, CaseRecord each, String same) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", each.name());
        json.writeStringField("precision", each.precision());
        json.writeArrayFieldStart("operandTypes");
        for (DType type : new TreeSet<>(each.operandTypes())) {
            json.writeString(type.name());
        }
        json.writeEndArray();
        json.writeStringField("settings", each.settings());
        json.writeNumberField("tokensPerStep", each.tokensPerStep());
        json.writeNumberField("tokensPerSecond", Math.round(each.speed().tokensPerSecond() * 1e3) / 1e3);
        json.writeNumberField("seconds", Math.round(each.speed().seconds() * 10) / 10.0);
        json.writeArrayFieldStart("peakBytes");
        for (var rank : each.peakBytes()) {
            json.writeStartObject();
            for (var category : rank.entrySet()) {
                json.writeNumberField(category.getKey(), category.getValue());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("steps");
        for (StepRecord step : each.steps()) {
            json.writeStartObject();
            json.writeNumberField("step", step.step());
            json.writeNumberField("loss", step.loss());
            json.writeNumberField("gradientNorm", step.gradientNorm());
            json.writeNumberField("learningRate", step.learningRate());
            json.writeEndObject();
        }
        json.writeEndArray();
        if (same != null) {
            json.writeStringField("fingerprints", same);
        } else {
            json.writeArrayFieldStart("fingerprints");
            for (FingerprintsTaken taken : each.fingerprints()) {
                writeFingerprints(json, taken);
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    /** An object with one list per tensor: number of elements, then sum of squares and projections of gradient and weight. */
    private static void writeFingerprints(JsonGenerator json, FingerprintsTaken taken) throws IOException {
        json.writeStartObject();
        json.writeNumberField("step", taken.step());
        json.writeObjectFieldStart("tensors");
        for (int i = 0; i < taken.gradients().size(); i++) {
            TensorFingerprint gradient = taken.gradients().get(i);
            TensorFingerprint weight = taken.weights().get(i);
            json.writeArrayFieldStart(gradient.tensor());
            json.writeNumber(gradient.elements());
            json.writeNumber(gradient.sumOfSquares());
            json.writeString(base64(gradient.projections()));
            json.writeNumber(weight.sumOfSquares());
            json.writeString(base64(weight.projections()));
            json.writeEndArray();
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private static String base64(List<Double> values) {
        var bytes = ByteBuffer.allocate(values.size() * Double.BYTES);
        values.forEach(bytes::putDouble);
        return Base64.getEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /**
     * Reads a file.
     *
     * @throws DataException if the file is missing, damaged or of a later version
     */
    public static Golden read(Path file) {
        try {
            JsonNode root = new JsonMapper().readTree(InputFiles.readAllBytes(file, LARGEST_BYTES));
            int version = (int) integer(root, "schemaVersion");
            if (version != SCHEMA_VERSION) {
                throw new DataException(file + ": schemaVersion is " + version + " (allowed: " + SCHEMA_VERSION
                        + "); record the set again");
            }
            var environment = new Environment(texts(root, "machine"), texts(root, "versions"));
            Map<String, List<FingerprintsTaken>> read = new HashMap<>();
            return new Golden(
                    environment,
                    elements(root, "cases").stream()
                            .map(each -> readCase(each, read))
                            .toList());
        } catch (NoSuchFileException missing) {
            throw new DataException(file + ": no such file; record the set first: hirundo regress record SET", missing);
        } catch (JacksonException | IllegalArgumentException damaged) {
            throw new DataException(
                    file + ": is not what hirundo regress record writes: " + firstLine(damaged)
                            + "; record the set again",
                    damaged);
        } catch (IOException failure) {
            throw new DataException(file + ": cannot be read: " + Reason.of(failure), failure);
        }
    }

    private static String firstLine(Exception failure) {
        String message = failure instanceof JacksonException json
                ? JsonComplaint.of(json.getOriginalMessage())
                : Reason.of(failure);
        return message.lines().findFirst().orElse("");
    }

    private static JsonNode need(JsonNode node, String field) {
        require(node.isObject(), field, node, "in an object");
        JsonNode value = node.get(field);
        if (value == null) {
            throw new IllegalArgumentException("field " + field + " is missing");
        }
        return value;
    }

    private static List<JsonNode> elements(JsonNode node, String field) {
        JsonNode list = need(node, field);
        require(list.isArray(), field, list, "a list");
        return StreamSupport.stream(list.spliterator(), false).toList();
    }

    private static SortedMap<String, String> texts(JsonNode node, String field) {
        var texts = new TreeMap<String, String>();
        JsonNode object = need(node, field);
        require(object.isObject(), field, object, "an object");
        object.properties().forEach(each -> texts.put(each.getKey(), text(object, each.getKey())));
        return texts;
    }

    private static String text(JsonNode node, String field) {
        JsonNode value = need(node, field);
        require(value.isTextual(), field, value, "text");
        return value.textValue();
    }

    private static long integer(JsonNode node, String field) {
        JsonNode value = need(node, field);
        require(value.isIntegralNumber() && value.canConvertToLong(), field, value, "an integer");
        return value.longValue();
    }

    /** NaN and infinity are texts in JSON. */
    private static double number(JsonNode node, String field) {
        return numeric(need(node, field), field);
    }

    private static double numeric(JsonNode value, String field) {
        require(
                value.isNumber() || Set.of("NaN", "Infinity", "-Infinity").contains(value.asText()),
                field,
                value,
                "a number");
        return value.isNumber() ? value.doubleValue() : Double.parseDouble(value.asText());
    }

    private static void require(boolean isAllowed, String field, JsonNode is, String allowed) {
        if (!isAllowed) {
            throw new IllegalArgumentException(
                    "field " + Excerpt.of(field) + " is " + Excerpt.of(is.toString()) + " (allowed: " + allowed + ")");
        }
    }

    /** {@code read}: fingerprints of earlier cases, by name. */
    private static CaseRecord readCase(JsonNode node, Map<String, List<FingerprintsTaken>> read) {
        String name = text(node, "name");
        JsonNode taken = need(node, "fingerprints");
        List<FingerprintsTaken> fingerprints = taken.isTextual()
                ? read.get(taken.asText())
                : elements(node, "fingerprints").stream()
                        .map(GoldenFile::readFingerprints)
                        .toList();
        if (fingerprints == null) {
            throw new IllegalArgumentException(
                    "case " + name + " has the fingerprints of " + taken.asText() + ", which is not before it");
        }
        read.put(name, fingerprints);
        var peaks = new ArrayList<SortedMap<String, Long>>();
        for (JsonNode rank : elements(node, "peakBytes")) {
            var bytes = new TreeMap<String, Long>();
            require(rank.isObject(), "peakBytes", rank, "objects");
            rank.properties().forEach(each -> bytes.put(each.getKey(), integer(rank, each.getKey())));
            peaks.add(bytes);
        }
        return new CaseRecord(
                name,
                text(node, "precision"),
                operandTypes(node),
                text(node, "settings"),
                integer(node, "tokensPerStep"),
                elements(node, "steps").stream().map(GoldenFile::readStep).toList(),
                fingerprints,
                peaks,
                new CaseRecord.Speed(number(node, "tokensPerSecond"), number(node, "seconds")));
    }

    private static Set<DType> operandTypes(JsonNode node) {
        return node.has("operandTypes")
                ? elements(node, "operandTypes").stream().map(GoldenFile::dtype).collect(Collectors.toUnmodifiableSet())
                : Set.of();
    }

    private static DType dtype(JsonNode is) {
        boolean isType =
                Arrays.stream(DType.values()).anyMatch(type -> type.name().equals(is.textValue()));
        require(isType, "operandTypes", is, Arrays.toString(DType.values()));
        return DType.valueOf(is.textValue());
    }

    private static StepRecord readStep(JsonNode node) {
        return new StepRecord(
                integer(node, "step"),
                number(node, "loss"),
                number(node, "gradientNorm"),
                number(node, "learningRate"));
    }

    private static FingerprintsTaken readFingerprints(JsonNode node) {
        var gradients = new ArrayList<TensorFingerprint>();
        var weights = new ArrayList<TensorFingerprint>();
        JsonNode tensors = need(node, "tensors");
        require(tensors.isObject(), "tensors", tensors, "an object");
        for (var each : tensors.properties()) {
            JsonNode values = each.getValue();
            gradients.add(fingerprint(each.getKey(), values, 1));
            weights.add(fingerprint(each.getKey(), values, 3));
        }
        return new FingerprintsTaken(integer(node, "step"), gradients, weights);
    }

    private static TensorFingerprint fingerprint(String tensor, JsonNode values, int at) {
        require(
                values.isArray()
                        && values.size() == 5
                        && values.get(0).isIntegralNumber()
                        && values.get(at + 1).isTextual(),
                tensor,
                values,
                "an integer, and number and text twice");
        var projections = new ArrayList<Double>();
        for (var bytes = ByteBuffer.wrap(
                        Base64.getDecoder().decode(values.get(at + 1).asText()));
                bytes.remaining() >= Double.BYTES; ) {
            projections.add(bytes.getDouble());
        }
        return new TensorFingerprint(tensor, values.get(0).asLong(), numeric(values.get(at), tensor), projections);
    }
}
