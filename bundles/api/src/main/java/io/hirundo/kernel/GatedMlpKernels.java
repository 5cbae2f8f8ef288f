package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** SwiGLU (Shazeer 2020, arXiv 2002.05202): {@code y = silu(gate) up}. A row of the fused {@code 2F} is gate, then up. */
@ConsumerType
public interface GatedMlpKernels {
  void forward(Queue queue, Tensor gateUpT2F, Tensor yTF);

  /** {@code dGateUpT2F} may alias {@code gateUpT2F}. */
  void backward(Queue queue, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F);
}
