package io.hirundo.lib.llama;

import io.hirundo.model.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Double-precision reference of the Llama (Touvron et al. 2023, arXiv 2302.13971), for parity checks: plain loops over the stored
 * tensors that share no code with training. For a few tokens of one sequence; reads tensors in blocks of rows.
 */
public final class LlamaReference {
  /** Which channels of a head the rotary embedding pairs. */
  public enum RotaryPairs {
    /**
     * Channel {@code i} of the first half with channel {@code i} of the second half, as the Transformers library stores heads.
     */
    HALVES,
    /** Channels {@code 2i} and {@code 2i + 1}, as Meta's code and torchtitan store heads. */
    ADJACENT
  }

  /** The stored tensors, under the names of {@link LlamaTensors}. */
  @FunctionalInterface
  public interface Tensors {
    /** See {@link io.hirundo.checkpoint.ModelReader#read}. */
    void read(ParameterPart part, DType dtype, MemorySegment into);
  }

  private static final long BLOCK_BYTES = 32L << 20;

  private final LlamaConfig config;
  private final Map<String, Shape> shapes;
  private final RotaryPairs pairs;
  private final Tensors tensors;

  /** Reads {@code tensors} only during {@link #logits}. */
  public LlamaReference(LlamaConfig config, RotaryPairs pairs, Tensors tensors) {
    this.config = config;
    this.shapes = LlamaTensors.of(config);
    this.pairs = pairs;
    this.tensors = tensors;
  }

  /** Logits [T][V] of the T tokens of one sequence. */
  public double[][] logits(int[] tokens) {
    double[][] x = IntStream.of(tokens).mapToObj(token -> rows(LlamaTensors.EMBEDDING, token, 1)).toArray(double[][]::new);
    for (int layer = 0; layer < config.sizes().layers(); layer++) {
      String name = "model.layers." + layer;
      add(x, attention(normalized(x, name + ".input_layernorm.weight"), name + ".self_attn"));
      add(x, mlp(normalized(x, name + ".post_attention_layernorm.weight"), name + ".mlp"));
    }
    return product(normalized(x, "model.norm.weight"), config.tied() ? LlamaTensors.EMBEDDING : LlamaTensors.HEAD);
  }

  private double[][] attention(double[][] x, String name) {
    var heads = config.heads();
    var rotary = new RotaryReference(config.rope(), heads.dim(), pairs);
    double[][] queries = product(x, name + ".q_proj.weight");
    double[][] keys = product(x, name + ".k_proj.weight");
    double[][] values = product(x, name + ".v_proj.weight");
    for (int position = 0; position < x.length; position++) {
      rotary.rotate(queries[position], position);
      rotary.rotate(keys[position], position);
    }
    double[][] mixed = new double[x.length][(int) heads.queryChannels()];
    for (int head = 0; head < heads.query(); head++) {
      int from = head * heads.dim();
      int shared = head / (heads.query() / heads.keyValue()) * heads.dim();
      for (int position = 0; position < x.length; position++) {
        double[] weights = weights(queries[position], from, keys, shared, position);
        for (int earlier = 0; earlier <= position; earlier++) {
          for (int channel = 0; channel < heads.dim(); channel++) {
            mixed[position][from + channel] += weights[earlier] * values[earlier][shared + channel];
          }
        }
      }
    }
    return product(mixed, name + ".o_proj.weight");
  }

  /** Softmax over this position and all earlier ones. */
  private double[] weights(double[] query, int from, double[][] keys, int shared, int position) {
    int dim = config.heads().dim();
    double[] weights = new double[position + 1];
    double largest = Double.NEGATIVE_INFINITY;
    for (int earlier = 0; earlier <= position; earlier++) {
      double score = 0;
      for (int channel = 0; channel < dim; channel++) {
        score += query[from + channel] * keys[earlier][shared + channel];
      }
      weights[earlier] = score / Math.sqrt(dim);
      largest = Math.max(largest, weights[earlier]);
    }
    double sum = 0;
    for (int earlier = 0; earlier <= position; earlier++) {
      weights[earlier] = Math.exp(weights[earlier] - largest);
      sum += weights[earlier];
    }
    for (int earlier = 0; earlier <= position; earlier++) {
      weights[earlier] /= sum;
    }
    return weights;
  }

  private double[][] mlp(double[][] x, String name) {
    double[][] gate = product(x, name + ".gate_proj.weight");
    double[][] up = product(x, name + ".up_proj.weight");
    for (int position = 0; position < x.length; position++) {
      for (int channel = 0; channel < gate[position].length; channel++) {
        double value = gate[position][channel];
        gate[position][channel] = value / (1 + Math.exp(-value)) * up[position][channel];
      }
    }
    return product(gate, name + ".down_proj.weight");
  }

  private double[][] normalized(double[][] x, String name) {
    double[] scale = rows(name, 0, config.sizes().hidden());
    double[][] result = new double[x.length][scale.length];
    for (int position = 0; position < x.length; position++) {
      double squares = 0;
      for (double value : x[position]) {
        squares += value * value;
      }
      double factor = 1 / Math.sqrt(squares / scale.length + config.rmsNormEps());
      for (int channel = 0; channel < scale.length; channel++) {
        result[position][channel] = x[position][channel] * factor * scale[channel];
      }
    }
    return result;
  }

  private static void add(double[][] to, double[][] x) {
    for (int position = 0; position < to.length; position++) {
      for (int channel = 0; channel < to[position].length; channel++) {
        to[position][channel] += x[position][channel];
      }
    }
  }

  /** {@code x wᵀ} with a stored weight [outputs, inputs]. */
  private double[][] product(double[][] x, String name) {
    Shape shape = shapes.get(name);
    int outputs = Math.toIntExact(shape.dim(0));
    int inputs = Math.toIntExact(shape.dim(1));
    int blockRows = (int) Math.clamp(BLOCK_BYTES / Double.BYTES / inputs, 1, outputs);
    double[][] y = new double[x.length][outputs];
    for (int first = 0; first < outputs; first += blockRows) {
      int begin = first;
      int count = Math.min(blockRows, outputs - first);
      double[] block = rows(name, begin, count);
      IntStream.range(0, count)
          .parallel()
          .forEach(
              row -> {
                for (int position = 0; position < x.length; position++) {
                  y[position][begin + row] = dot(x[position], block, row * inputs);
                }
              });
    }
    return y;
  }

  private static double dot(double[] x, double[] block, int from) {
    double sum = 0;
    for (int index = 0; index < x.length; index++) {
      sum += x[index] * block[from + index];
    }
    return sum;
  }

  /** Rows of a matrix, or elements of a vector. */
  private double[] rows(String name, long first, int count) {
    Shape whole = shapes.get(name);
    List<Long> offset = whole.rank() == 1 ? List.of(first) : List.of(first, 0L);
    Shape piece = whole.rank() == 1 ? Shape.of(count) : Shape.of(count, whole.dim(1));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(piece.byteSize(DType.FP64), Double.BYTES);
      tensors.read(new ParameterPart(name, whole, offset, piece), DType.FP64, host);
      return host.toArray(ValueLayout.JAVA_DOUBLE);
    }
  }
}
