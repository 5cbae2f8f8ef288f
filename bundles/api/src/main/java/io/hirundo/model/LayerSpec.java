package io.hirundo.model;

import io.hirundo.kernel.Heads;
import java.util.List;

/**
 * A layer as a model declares it, so that parallel strategies can understand and rebuild it. Suffixes as in {@code
 * io.hirundo.kernel.Kernels}.
 */
public sealed interface LayerSpec {

  /** Token embedding. */
  record Embedding(String path, long vocabulary, long hidden, Initialization initialization) implements LayerSpec {}

  /**
   * One matrix of a linear layer.
   *
   * @param path the tensor's Hugging Face name
   * @param outputs its rows
   * @param unit rows that belong together, those of a head for instance: {@code outputs} is a multiple of it, and a split
   *     never goes through one. Where there are more ranks than units of several rows, ranks may share a unit.
   */
  record LinearPart(String path, long outputs, long unit) {
    public LinearPart {
      if (unit < 1 || outputs % unit != 0) {
        throw new IllegalArgumentException(path + ": " + outputs + " outputs are not units of " + unit + " rows");
      }
    }

    /** Rows that stand each for itself. */
    public LinearPart(String path, long outputs) {
      this(path, outputs, 1);
    }

    /** Number of units. */
    public long units() {
      return outputs / unit;
    }
  }

  /**
   * A linear layer without bias; several parts are one matrix product.
   *
   * @param name unique in the model
   * @param parts output rows, part after part
   * @param inputs K
   * @param split what tensor parallelism may split; with {@code OUTPUTS} every part by itself
   */
  record Linear(String name, List<LinearPart> parts, long inputs, Split split, Initialization initialization)
      implements LayerSpec {
    public Linear {
      parts = List.copyOf(parts);
    }

    /** Of the one matrix that holds all parts. */
    public String parameterName() {
      return parts.size() == 1 ? parts.getFirst().path() : name + ".weight";
    }

    /** N, of all parts together. */
    public long outputs() {
      return parts.stream().mapToLong(LinearPart::outputs).sum();
    }
  }

  /** RMSNorm. */
  record Norm(String path, long hidden, double epsilon) implements LayerSpec {}

  /**
   * Causal grouped-query attention with rotary embedding, from the fused QKV row to the joined heads.
   *
   * @param inverseFrequencies rotation per position, in radians, for each pair of a head: D/2 entries
   * @param maximumPositions positions that occur
   */
  record Attention(String name, Heads heads, List<Double> inverseFrequencies, int maximumPositions) implements LayerSpec {
    public Attention {
      inverseFrequencies = List.copyOf(inverseFrequencies);
    }
  }

  /** SwiGLU, from the fused gate-up row to the product. */
  record GatedMlp(String name, long inner) implements LayerSpec {}

  /**
   * The projection to the vocabulary and the loss.
   *
   * @param path of the matrix; the embedding's where they are tied
   */
  record LossHead(String path, long vocabulary, long hidden, Initialization initialization) implements LayerSpec {}
}
