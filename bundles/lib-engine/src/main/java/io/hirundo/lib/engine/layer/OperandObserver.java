package io.hirundo.lib.engine.layer;

import io.hirundo.device.Queue;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;

/**
 * Receives the operands of each linear layer before its weight gradient is computed: {@code xTK} [T, K] and {@code dyTN} [T, N]. The
 * tensors are borrowed and valid only during the call.
 */
@FunctionalInterface
public interface OperandObserver {
    void operands(Queue queue, Parameter weight, Tensor xTK, Tensor dyTN);
}
