package io.hirundo.trainer.internal.provider;

import io.hirundo.model.GatedMlpLayer;
import io.hirundo.model.Parameter;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** SwiGLU with all intermediate channels on one rank. */
record PlainGatedMlp(long innerChannels) implements GatedMlpLayer {
  @Override
  public List<Parameter> parameters() {
    return List.of();
  }

  @Override
  public Tensor forward(StepContext context, Tensor gateUpT2F) {
    Tensor yTF = context.allocate(Shape.of(gateUpT2F.shape().dim(0), innerChannels));
    context.device().kernels().gatedMlp().forward(context.queue(), gateUpT2F, yTF);
    return yTF;
  }

  @Override
  public Tensor backwardInput(StepContext context, Tensor dyTF, Tensor gateUpT2F) {
    Tensor dGateUpT2F = context.allocate(gateUpT2F.shape());
    context.device().kernels().gatedMlp().backward(context.queue(), dyTF, gateUpT2F, dGateUpT2F);
    return dGateUpT2F;
  }
}
