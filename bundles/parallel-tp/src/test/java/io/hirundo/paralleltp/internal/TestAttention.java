package io.hirundo.paralleltp.internal;

import io.hirundo.kernel.AttentionShape;
import io.hirundo.kernel.Heads;
import io.hirundo.kernel.QueryKeyValue;
import io.hirundo.model.AttentionLayer;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.Parameter;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** The attention's kernels, of whatever heads. */
record TestAttention(Heads heads, Tensor cosPD2, Tensor sinPD2) implements AttentionLayer {
  static TestAttention of(TestRank rank, LayerSpec.Attention spec) {
    int pairs = spec.inverseFrequencies().size();
    double[] cos = new double[spec.maximumPositions() * pairs];
    double[] sin = new double[cos.length];
    for (int i = 0; i < cos.length; i++) {
      double angle = i / pairs * spec.inverseFrequencies().get(i % pairs);
      cos[i] = Math.cos(angle);
      sin[i] = Math.sin(angle);
    }
    Shape shape = Shape.of(spec.maximumPositions(), pairs);
    return new TestAttention(
        spec.heads(), rank.tensor(shape, rank.activationType(), cos), rank.tensor(shape, rank.activationType(), sin));
  }

  @Override
  public List<Parameter> parameters() {
    return List.of();
  }

  @Override
  public Attended forward(StepContext context, Tensor qkvTE) {
    var batch = context.batch();
    var kernels = context.device().kernels().attention();
    QueryKeyValue qkv = allocateHeads(context);
    kernels.splitAndRotate(context.queue(), heads, batch.sequences(), qkvTE, cosPD2, sinPD2, batch.positionsT(), qkv);
    Tensor outputTHD = context.allocate(Shape.of(batch.tokens(), heads.outputChannels()));
    Tensor logSumExpBHS =
        context.allocateStatistics(Shape.of(batch.sequences(), heads.query(), batch.sequenceTokens()));
    kernels.forward(context.queue(), shape(context), qkv, outputTHD, logSumExpBHS);
    return new Attended(qkv, outputTHD, logSumExpBHS);
  }

  @Override
  public Tensor backwardInput(StepContext context, Tensor outputGradientTHD, Attended forward) {
    var batch = context.batch();
    var kernels = context.device().kernels().attention();
    QueryKeyValue gradient = allocateHeads(context);
    kernels.backward(
        context.queue(), shape(context), outputGradientTHD, forward.heads(), forward.outputTHD(), forward.logSumExpBHS(),
        gradient);
    Tensor dqkvTE = context.allocate(Shape.of(batch.tokens(), heads.fusedChannels()));
    kernels.rotateBackAndJoin(
        context.queue(), heads, batch.sequences(), gradient, cosPD2, sinPD2, batch.positionsT(), dqkvTE);
    gradient.queryBHSD().close();
    gradient.keyBGSD().close();
    gradient.valueBGSD().close();
    return dqkvTE;
  }

  private QueryKeyValue allocateHeads(StepContext context) {
    long sequences = context.batch().sequences();
    long tokens = context.batch().sequenceTokens();
    Shape keys = Shape.of(sequences, heads.keyValue(), tokens, heads.dim());
    return new QueryKeyValue(
        context.allocate(Shape.of(sequences, heads.query(), tokens, heads.dim())),
        context.allocate(keys),
        context.allocate(keys));
  }

  private AttentionShape shape(StepContext context) {
    return AttentionShape.causal(context.batch().sequences(), context.batch().sequenceTokens(), heads);
  }
}
