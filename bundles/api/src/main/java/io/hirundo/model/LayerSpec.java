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

  /** One matrix of a linear layer. */
  record LinearPart(String path, long outputs) {}

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
