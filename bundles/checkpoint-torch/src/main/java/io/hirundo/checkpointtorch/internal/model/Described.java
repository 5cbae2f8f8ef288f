package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import io.hirundo.lib.json.JsonInput;
import io.hirundo.lib.llama.LlamaConfig;
import io.hirundo.lib.llama.LlamaConfigJson;
import io.hirundo.lib.llama.LlamaTensors;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Derives a folder's model from its {@code config.json} or, without one, from tensor shapes and from options for what shapes do not show.
 */
final class Described {
  private static final int MAX_CONFIG_BYTES = 16 << 20;
  private static final String FIRST = "model.layers.0.";
  private static final String FORMAT = "model.format torch-dcp";
  /** Initial standard deviation: unused, because the weights are loaded. */
  private static final double INITIALIZER_RANGE = 0.02;

  private final Path folder;
  private final KeyMap keys;
  private final Map<String, Shape> shapes;
  private final TorchDcpOptions options;

  /** {@code shapes}: by stored name. */
  Described(Path folder, KeyMap keys, Map<String, Shape> shapes, TorchDcpOptions options) {
    this.folder = folder;
    this.keys = keys;
    this.shapes = shapes;
    this.options = options;
  }

  LlamaConfig config() {
    Path file = folder.resolve(LlamaConfigJson.FILE);
    if (!Files.exists(file)) {
      return derived();
    }
    boolean isToldTwice =
        options.numAttentionHeads() != 0 || options.maxPositionEmbeddings() != 0 || options.rmsNormEps() != 0
            || options.ropeTheta() != 0 || options.ropeScaling() != null;
    if (isToldTwice) {
      throw new ConfigurationException(FORMAT + ": " + file + " describes the model; leave out all options but prefix");
    }
    return LlamaConfigJson.read(json(file), file.toString());
  }

  private static Map<String, Object> json(Path file) {
    try {
      byte[] text = InputFiles.readAllBytes(file, MAX_CONFIG_BYTES);
      try (var in =
          new JsonInput(text, 0, text.length, file.toString(), (message, cause) -> new DataException(message + "; fetch it again", cause))) {
        Map<String, Object> fields = in.map();
        in.end();
        return fields;
      }
    } catch (IrregularFileException | FileTooLargeException e) {
      throw new DataException(e.getMessage() + "; copy the model's " + LlamaConfigJson.FILE + " there", e);
    } catch (IOException e) {
      throw new DataException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private LlamaConfig derived() {
    requireOptions();
    Shape embedding = shape(LlamaTensors.EMBEDDING);
    int layers = 0;
    while (shapes.containsKey(keys.stored("model.layers." + layers + ".input_layernorm.weight"))) {
      layers++;
    }
    var sizes =
        new LlamaConfig.Sizes(
            extent(embedding, 0), extent(embedding, 1), extent(shape(FIRST + "mlp.gate_proj.weight"), 0), layers,
            options.maxPositionEmbeddings());
    var rope = new LlamaConfig.Rope(options.ropeTheta(), scaling());
    boolean tied = !shapes.containsKey(keys.stored(LlamaTensors.HEAD));
    return new LlamaConfig(sizes, heads(), rope, options.rmsNormEps(), tied, INITIALIZER_RANGE);
  }

  private void requireOptions() {
    List<String> missing = new ArrayList<>();
    addWhere(options.numAttentionHeads() == 0, "numAttentionHeads", missing);
    addWhere(options.maxPositionEmbeddings() == 0, "maxPositionEmbeddings", missing);
    addWhere(options.rmsNormEps() == 0, "rmsNormEps", missing);
    addWhere(options.ropeTheta() == 0, "ropeTheta", missing);
    if (!missing.isEmpty()) {
      throw new ConfigurationException(
          FORMAT + ": " + folder + " has no " + LlamaConfigJson.FILE + ", and its tensors do not tell "
              + String.join(", ", missing) + "; copy the model's " + LlamaConfigJson.FILE + " there, or give them as options"
              + " (and ropeScaling for Llama 3.1 to 3.3)");
    }
  }

  private static void addWhere(boolean isMissing, String name, List<String> missing) {
    if (isMissing) {
      missing.add(name);
    }
  }

  private LlamaConfig.Heads heads() {
    int query = options.numAttentionHeads();
    int queryRows = extent(shape(FIRST + "self_attn.q_proj.weight"), 0);
    int keyRows = extent(shape(FIRST + "self_attn.k_proj.weight"), 0);
    int dim = queryRows / query;
    if (dim == 0 || dim * query != queryRows || dim % 2 != 0 || keyRows % dim != 0 || keyRows == 0 || query % (keyRows / dim) != 0) {
      throw new ConfigurationException(
          FORMAT + ": numAttentionHeads is " + query + ", which does not fit queries of " + queryRows + " and keys of " + keyRows
              + " channels");
    }
    return new LlamaConfig.Heads(query, keyRows / dim, dim);
  }

  private LlamaConfig.Scaling scaling() {
    var given = options.ropeScaling();
    return given == null
        ? null
        : new LlamaConfig.Scaling(
            given.factor(), given.lowFreqFactor(), given.highFreqFactor(), given.originalMaxPositionEmbeddings());
  }

  private Shape shape(String published) {
    Shape shape = shapes.get(keys.stored(published));
    if (shape == null || shape.rank() != 2) {
      throw new DataException(folder + ": tensor '" + keys.stored(published) + "' is missing or no matrix; fetch the model again");
    }
    return shape;
  }

  private int extent(Shape shape, int dim) {
    if (shape.dim(dim) < 1 || shape.dim(dim) > Integer.MAX_VALUE) {
      throw new DataException(folder + ": a tensor is " + shape + ", which no Llama's is");
    }
    return (int) shape.dim(dim);
  }
}
