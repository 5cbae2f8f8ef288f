package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.memory.Operands;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.tensor.Tensor;

/** SwiGLU. Operations per output element: forward 5, backward 11. */
record MetaGatedMlp(Work work) implements GatedMlpKernels {
  @Override
  public void forward(Queue queue, Tensor gateUpT2F, Tensor yTF) {
    MetaTensor y = Operands.floating("yTF", yTF);
    work.book(queue, "gatedMlp.forward", 5 * y.elements(), fused(y, "gateUpT2F", gateUpT2F), y);
  }

  @Override
  public void backward(Queue queue, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
    MetaTensor dy = Operands.floating("dyTF", dyTF);
    MetaTensor gateUp = fused(dy, "gateUpT2F", gateUpT2F);
    work.book(queue, "gatedMlp.backward", 11 * dy.elements(), dy, gateUp, fused(dy, "dGateUpT2F", dGateUpT2F));
  }

  private static MetaTensor fused(MetaTensor inner, String name, Tensor tensor) {
    return Operands.matrix(name, tensor, Operands.rowsOf(inner), 2 * Operands.columnsOf(inner), inner.dtype());
  }
}
