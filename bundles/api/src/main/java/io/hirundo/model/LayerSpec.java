package io.hirundo.model;

import io.hirundo.kernel.Heads;
import java.util.List;

/**
 * A layer as a model declares it, so that parallel strategies can shard it. Shape suffixes as in {@code
 * io.hirundo.kernel.Kernels}.
 */
public sealed interface LayerSpec {

  /** Token embedding. */
  record Embedding(String path, long vocabulary, long hidden, Initialization initialization) implements LayerSpec {}

  /**
   * One matrix of a linear layer.
   *
   * @param path published name of the tensor
   * @param outputs its rows
   * @param unit rows that are never split, for instance those of a head; {@code outputs} is a multiple of it. With more ranks
   *     than units, several ranks may hold a replica of the same unit
   */
  record LinearPart(String path, long outputs, long unit) {
    public LinearPart {
      if (unit < 1 || outputs % unit != 0) {
        throw new IllegalArgumentException(path + ": outputs " + outputs + " is wrong (allowed: multiples of its unit of " + unit + " rows)");
      }
    }

    /** Rows that can be split anywhere. */
    public LinearPart(String path, long outputs) {
      this(path, outputs, 1);
    }

    /** Number of units. */
    public long units() {
      return outputs / unit;
    }
  }

  /**
   * A linear layer without bias. Several parts form one GEMM.
   *
   * @param name unique in the model
   * @param parts output rows, part after part
   * @param inputs K
   * @param split what tensor parallelism may shard; {@code OUTPUTS} shards every part separately
   */
  record Linear(String name, List<LinearPart> parts, long inputs, Split split, Initialization initialization)
      implements LayerSpec {
    public Linear {
      parts = List.copyOf(parts);
    }

    /** Name of the matrix that holds all parts. */
    public String parameterName() {
      return parts.size() == 1 ? parts.getFirst().path() : name + ".weight";
    }

    /** N, summed over all parts. */
    public long outputs() {
      return parts.stream().mapToLong(LinearPart::outputs).sum();
    }
  }

  /** RMSNorm. */
  record Norm(String path, long hidden, double epsilon) implements LayerSpec {}

  /**
   * Causal grouped-query attention with rotary embedding, from the fused QKV row to the output of all heads.
   *
   * @param inverseFrequencies rotation in radians per position, for each pair of channels: D/2 entries
   * @param maximumPositions exclusive upper bound of position ids
   */
  record Attention(String name, Heads heads, List<Double> inverseFrequencies, int maximumPositions) implements LayerSpec {
    public Attention {
      inverseFrequencies = List.copyOf(inverseFrequencies);
    }
  }

  /** SwiGLU, from the fused gate-up row to its output. */
  record GatedMlp(String name, long inner) implements LayerSpec {}

  /**
   * The output projection to the vocabulary, with the loss.
   *
   * @param path of the matrix; the embedding's if weights are tied
   */
  record LossHead(String path, long vocabulary, long hidden, Initialization initialization) implements LayerSpec {}
}
