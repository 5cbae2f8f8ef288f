package io.hirundo.trainer.internal.layer;

import io.hirundo.device.Queue;
import io.hirundo.model.Parameter;
import io.hirundo.tensor.Tensor;

/** Looks at the operands of linear layers, which are lent to it, before their weights' gradients are found. */
@FunctionalInterface
public interface OperandObserver {
  void operands(Queue queue, Parameter weight, Tensor xTK, Tensor dyTN);
}
