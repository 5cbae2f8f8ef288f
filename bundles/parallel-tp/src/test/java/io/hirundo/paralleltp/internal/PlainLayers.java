package io.hirundo.paralleltp.internal;

import io.hirundo.model.AttentionLayer;
import io.hirundo.model.EmbeddingLayer;
import io.hirundo.model.GatedMlpLayer;
import io.hirundo.model.Initialization;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LinearLayer;
import io.hirundo.model.LocalMatrix;
import io.hirundo.model.LossHeadLayer;
import io.hirundo.model.NormLayer;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** A model on one rank, without any message: what split models must equal. */
record PlainLayers(TestLocalLayers local) implements LayerFactory {
  @Override
  public EmbeddingLayer embedding(LayerSpec.Embedding spec) {
    Parameter table = local.declare(matrix(spec.path(), spec.vocabulary(), spec.hidden()));
    return new EmbeddingLayer() {
      @Override
      public List<Parameter> parameters() {
        return List.of(table);
      }

      @Override
      public Tensor forward(StepContext context) {
        Tensor yTC = context.allocate(Shape.of(context.batch().tokens(), spec.hidden()));
        var kernels = context.device().kernels().embedding();
        kernels.forward(context.queue(), context.batch().tokensT(), 0, table.value(), yTC);
        return yTC;
      }

      @Override
      public void backwardWeight(StepContext context, Tensor dyTC) {
        var kernels = context.device().kernels().embedding();
        kernels.backward(context.queue(), dyTC, context.batch().tokensT(), 0, table.gradient());
      }
    };
  }

  @Override
  public LinearLayer linear(LayerSpec.Linear spec) {
    var parts =
        spec.parts().stream()
            .map(part -> ParameterPart.whole(part.path(), Shape.of(part.outputs(), spec.inputs())))
            .toList();
    return new LocalLinear(local.matrix(new ParameterSpec(spec.parameterName(), parts, spec.initialization())));
  }

  @Override
  public NormLayer norm(LayerSpec.Norm spec) {
    var part = ParameterPart.whole(spec.path(), Shape.of(spec.hidden()));
    return local.norm(new ParameterSpec(spec.path(), List.of(part), Initialization.ONES), spec.epsilon());
  }

  @Override
  public AttentionLayer attention(LayerSpec.Attention spec) {
    return local.attention(spec);
  }

  @Override
  public GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec) {
    return local.gatedMlp(spec);
  }

  @Override
  public LossHeadLayer lossHead(LayerSpec.LossHead spec) {
    LocalMatrix weight = local.matrix(matrix(spec.path(), spec.vocabulary(), spec.hidden()));
    return new LossHeadLayer() {
      @Override
      public List<Parameter> parameters() {
        return List.of(weight.weight());
      }

      @Override
      public void forward(StepContext context, Tensor hTC) {
        throw new AssertionError("not used here");
      }

      @Override
      public Tensor forwardBackward(StepContext context, Tensor hTC) {
        var batch = context.batch();
        Tensor dhTC = context.allocate(hTC.shape());
        try (Tensor logitsTV = logits(context, hTC)) {
          var kernels = context.device().kernels().loss();
          kernels.crossEntropyWithGradient(
              context.queue(), logitsTV, batch.labelsT(), batch.lossWeightsT(), context.gradientScale(), context.lossSum());
          weight.inputGradient(context.queue(), logitsTV, dhTC);
          weight.weightGradient(context.queue(), logitsTV, hTC);
        }
        return dhTC;
      }

      @Override
      public Tensor logits(StepContext context, Tensor hTC) {
        Tensor logitsTV = context.allocate(Shape.of(hTC.shape().dim(0), spec.vocabulary()));
        weight.forward(context.queue(), hTC, logitsTV);
        return logitsTV;
      }
    };
  }

  private static ParameterSpec matrix(String path, long rows, long columns) {
    var part = ParameterPart.whole(path, Shape.of(rows, columns));
    return new ParameterSpec(path, List.of(part), Initialization.normal(0.02));
  }
}
