package io.hirundo.paralleltp.internal.layer;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.Heads;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.Replicas;
import io.hirundo.tensor.Shape;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Which part of a tensor a rank of the group holds; rejects tensors that the ranks cannot divide.
 *
 * @param rank in the group
 * @param members numbers of its ranks in the world
 */
public record ShardLayout(int rank, List<Integer> members) {
  /** Larger groups than this are not worth a proposal. */
  private static final long LARGEST_PROPOSAL = 128;

  int ranks() {
    return members.size();
  }

  /** Makes every share of a layer, to see that there is one. */
  public void check(LayerSpec layer) {
    switch (layer) {
      case LayerSpec.Embedding embedding -> vocabulary(embedding.path(), embedding.vocabulary(), embedding.hidden());
      case LayerSpec.Linear linear -> matrix(linear, false);
      case LayerSpec.Norm _ -> {}
      case LayerSpec.Attention attention -> heads(attention.heads(), attention.name());
      case LayerSpec.GatedMlp mlp -> inner(mlp);
      case LayerSpec.LossHead head -> vocabulary(head.path(), head.vocabulary(), head.hidden());
    }
  }

  /**
   * This rank's parts of a linear layer's matrix.
   *
   * @param partialGradients whether a rank finds only its share of the gradient of a matrix that every rank holds whole
   */
  List<ParameterPart> matrix(LayerSpec.Linear spec, boolean partialGradients) {
    return spec.parts().stream()
        .map(
            part ->
                switch (spec.split()) {
                  case OUTPUTS -> rows(part, spec.inputs());
                  case INPUTS -> columns(part, spec.inputs());
                  case NONE -> everywhere(part.path(), Shape.of(part.outputs(), spec.inputs()), partialGradients);
                })
        .toList();
  }

  /** This rank's tokens of the vocabulary. */
  ParameterPart vocabulary(String path, long tokens, long hidden) {
    long count = of(tokens, "tokens of the vocabulary in " + path);
    return ParameterPart.whole(path, Shape.of(tokens, hidden)).narrow(0, rank * count, count);
  }

  /** This rank's inner channels. */
  long inner(LayerSpec.GatedMlp spec) {
    return of(spec.inner(), "inner channels of " + spec.name());
  }

  /** This rank's share of an extent. */
  private long of(long extent, String what) {
    if (extent % ranks() != 0) {
      throw rejected("divide the " + extent + " " + what, divisors(extent));
    }
    return extent / ranks();
  }

  /** This rank's rows of a matrix. Where there are more ranks than heads, the same head goes to several ranks. */
  private ParameterPart rows(LinearPart part, long inputs) {
    var whole = ParameterPart.whole(part.path(), Shape.of(part.outputs(), inputs));
    if (part.unit() > 1 && part.units() < ranks()) {
      return sharedUnit(part, whole);
    }
    String what = part.unit() == 1 ? "rows of " : "heads (of " + part.unit() + " rows each) of ";
    long count = of(part.units(), what + part.path()) * part.unit();
    return whole.narrow(0, rank * count, count);
  }

  private ParameterPart sharedUnit(LinearPart part, ParameterPart whole) {
    if (ranks() % part.units() != 0) {
      throw rejected(
          "divide the " + part.units() + " heads (of " + part.unit() + " rows each) of " + part.path()
              + ", or be a multiple of them",
          divisors(part.units()) + ", or multiples of " + part.units());
    }
    int sharers = ranks() / (int) part.units();
    int unit = rank / sharers;
    // Each rank's other heads ask these keys and values of their own, and find their own part of the gradient.
    var replicas = new Replicas(members.subList(unit * sharers, (unit + 1) * sharers), rank % sharers, true);
    return whole.narrow(0, unit * part.unit(), part.unit()).with(replicas);
  }

  /** This rank's columns of a matrix. */
  private ParameterPart columns(LinearPart part, long inputs) {
    long count = of(inputs, "inputs of " + part.path());
    return ParameterPart.whole(part.path(), Shape.of(part.outputs(), inputs)).narrow(1, rank * count, count);
  }

  /** The heads that belong to this rank's rows of query, key and value projections. */
  Heads heads(Heads whole, String name) {
    long query = of(whole.query(), "query heads of " + name);
    if (whole.keyValue() % ranks() != 0 && ranks() % whole.keyValue() != 0) {
      throw rejected(
          "divide the " + whole.keyValue() + " key/value heads of " + name + ", or be a multiple of them",
          divisors(whole.keyValue()) + ", or multiples of " + whole.keyValue());
    }
    return new Heads((int) query, Math.max(1, whole.keyValue() / ranks()), whole.dim());
  }

  /** A tensor that every rank holds whole. */
  ParameterPart everywhere(String path, Shape shape, boolean partialGradients) {
    var part = ParameterPart.whole(path, shape);
    return ranks() == 1 ? part : part.with(new Replicas(members, rank, partialGradients));
  }

  /** As in {@code 1, 2, 4}. */
  public static String divisors(long extent) {
    return LongStream.rangeClosed(1, Math.min(extent, LARGEST_PROPOSAL))
        .filter(divisor -> extent % divisor == 0)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(", "));
  }

  private ConfigurationException rejected(String must, String allowed) {
    return new ConfigurationException("mesh.tensor is " + ranks() + ", but must " + must + "; allowed are " + allowed);
  }
}
