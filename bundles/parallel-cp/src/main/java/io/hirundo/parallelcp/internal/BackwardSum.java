package io.hirundo.parallelcp.internal;

import io.hirundo.kernel.QueryKeyValue;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * Gradients of a rank's queries, and of keys wherever they come from. Probabilities follow from the logarithm of the sum over
 * all keys, so that the parts add up. What is not the first part of its sum needs memory for the gradients of one piece.
 */
final class BackwardSum implements AutoCloseable {
  /**
   * What the forward had and made, and the gradient of its output; the caller's.
   *
   * @param outputGradientTHD [N s, H D], as {@code outputTHD}
   */
  record Given(Tensor outputGradientTHD, Tensor queryNHsD, Tensor outputTHD, Tensor logSumExpNHs) {}

  private final StepContext context;
  private final Pieces pieces;
  private final Given given;
  private final Tensor queryGradientNHsD;
  private final boolean[] begun = new boolean[BalancedContext.PIECES];
  private Tensor partOfQueryBHsD;
  private Tensor partOfKeyBGsD;
  private Tensor partOfValueBGsD;

  /**
   * @param queryGradientNHsD is overwritten
   */
  BackwardSum(StepContext context, Pieces pieces, Given given, Tensor queryGradientNHsD) {
    this.context = context;
    this.pieces = pieces;
    this.given = given;
    this.queryGradientNHsD = queryGradientNHsD;
  }

  /** Works through the keys of a rank. */
  void attend(int holder, KeyValue keys, KeyGradients keyGradients) {
    var kernels = context.device().kernels();
    for (Pieces.Pair pair : pieces.pairsWith(holder)) {
      int query = pair.query();
      KeyValue seen = keys.piece(pair.key(), pieces.sequences());
      KeyValue seenGradient = keyGradients.piece(pair.key());
      Tensor queryGradient = pieces.ofSequences(queryGradientNHsD, query);
      boolean addQuery = begun[query];
      boolean addKey = keyGradients.begin(pair.key());
      begun[query] = true;
      allocateParts(addQuery, addKey);
      kernels
          .attention()
          .backward(
              context.queue(),
              pair.shape(),
              pieces.ofTokens(given.outputGradientTHD(), query),
              new QueryKeyValue(pieces.ofSequences(given.queryNHsD(), query), seen.keyNGsD(), seen.valueNGsD()),
              pieces.ofTokens(given.outputTHD(), query),
              pieces.ofSequences(given.logSumExpNHs(), query),
              new QueryKeyValue(
                  addQuery ? partOfQueryBHsD : queryGradient,
                  addKey ? partOfKeyBGsD : seenGradient.keyNGsD(),
                  addKey ? partOfValueBGsD : seenGradient.valueNGsD()));
      if (addQuery) {
        kernels.elementwise().add(context.queue(), partOfQueryBHsD, queryGradient);
      }
      if (addKey) {
        new KeyValue(partOfKeyBGsD, partOfValueBGsD).addTo(kernels.elementwise(), context.queue(), seenGradient);
      }
    }
  }

  @Override
  public void close() {
    for (Tensor part : new Tensor[] {partOfQueryBHsD, partOfKeyBGsD, partOfValueBGsD}) {
      if (part != null) {
        part.close();
      }
    }
  }

  private void allocateParts(boolean ofQuery, boolean ofKey) {
    long sequences = pieces.sequences();
    var heads = pieces.heads();
    if (ofQuery && partOfQueryBHsD == null) {
      partOfQueryBHsD = context.allocate(Shape.of(sequences, heads.query(), pieces.tokens(), heads.dim()));
    }
    if (ofKey && partOfKeyBGsD == null) {
      Shape shape = Shape.of(sequences, heads.keyValue(), pieces.tokens(), heads.dim());
      partOfKeyBGsD = context.allocate(shape);
      partOfValueBGsD = context.allocate(shape);
    }
  }
}
