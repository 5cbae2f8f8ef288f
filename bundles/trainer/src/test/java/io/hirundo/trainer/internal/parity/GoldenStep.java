package io.hirundo.trainer.internal.parity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A training step of a tiny Llama as libtorch computed it: weights, tokens, logits, gradients and losses. */
public record GoldenStep(String name) {
    public static final GoldenStep FLOAT64 = new GoldenStep("tiny-f64");
    static final GoldenStep FLOAT32 = new GoldenStep("tiny-f32");

    private static final ObjectMapper JSON = new ObjectMapper();

    public Map<String, double[]> initialWeights() {
        return tensors("init");
    }

    Map<String, double[]> gradientsOfStep1() {
        return tensors("grads_step1");
    }

    Map<String, double[]> weightsAfterStep3() {
        return tensors("weights_step3");
    }

    public double[] logitsOfStep1() {
        return tensors("logits_step1").get("logits");
    }

    List<Double> losses() {
        var losses = new ArrayList<Double>();
        index().get("losses").forEach(loss -> losses.add(loss.asDouble()));
        return losses;
    }

    /** The effective hyperparameters: libtorch used the betas in another order than requested, as a note in the file says. */
    public AdamWOptions adamW() {
        JsonNode adamW = index().get("adamw");
        return new AdamWOptions(
                adamW.get("beta1").asDouble(),
                adamW.get("beta2").asDouble(),
                adamW.get("eps").asDouble(),
                adamW.get("weight_decay").asDouble());
    }

    private JsonNode index() {
        try (InputStream in = open("index.json")) {
            return JSON.readTree(in);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Rows of inputs and the label of the last input. */
    public HostBatch tokens(int step, int sequenceTokens) {
        var tensors = tensors("tokens_step" + step);
        double[] inputs = tensors.get("input_ids");
        double[] labels = tensors.get("labels");
        var rows = new ArrayList<int[]>();
        for (int first = 0; first < inputs.length; first += sequenceTokens) {
            int[] row = new int[sequenceTokens + 1];
            for (int s = 0; s < sequenceTokens; s++) {
                row[s] = (int) inputs[first + s];
                row[s + 1] = (int) labels[first + s];
            }
            rows.add(row);
        }
        return new HostBatch(rows);
    }

    private Map<String, double[]> tensors(String file) {
        try (InputStream in = open(file + ".safetensors")) {
            ByteBuffer bytes = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
            int headerBytes = Math.toIntExact(bytes.getLong());
            JsonNode header = JSON.readTree(new String(bytes.array(), 8, headerBytes, StandardCharsets.UTF_8));
            var tensors = new LinkedHashMap<String, double[]>();
            for (var entry : header.properties()) {
                JsonNode offsets = entry.getValue().get("data_offsets");
                int begin = 8 + headerBytes + offsets.get(0).asInt();
                int end = 8 + headerBytes + offsets.get(1).asInt();
                tensors.put(
                        entry.getKey(),
                        values(bytes, entry.getValue().get("dtype").asText(), begin, end));
            }
            return tensors;
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static double[] values(ByteBuffer bytes, String dtype, int begin, int end) {
        int size = dtype.equals("F64") ? 8 : 4;
        double[] values = new double[(end - begin) / size];
        for (int i = 0; i < values.length; i++) {
            int at = begin + i * size;
            values[i] = switch (dtype) {
                case "F64" -> bytes.getDouble(at);
                case "F32" -> bytes.getFloat(at);
                case "I32" -> bytes.getInt(at);
                default -> throw new AssertionError(dtype);
            };
        }
        return values;
    }

    private InputStream open(String file) {
        return GoldenStep.class.getResourceAsStream("/golden/" + name + "/" + file);
    }
}
