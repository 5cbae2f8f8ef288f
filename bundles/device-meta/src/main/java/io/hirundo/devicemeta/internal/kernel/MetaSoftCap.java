package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.tensor.Tensor;

/** Soft caps: per element 3 operations, 4 for the gradient. */
record MetaSoftCap(Work work) implements SoftCapKernels {
    @Override
    public void cap(Queue queue, Tensor x, double cap) {
        MetaTensor checked = MetaTensor.CHECK.floating("x", x);
        work.book(queue, "softCap.cap", 3 * checked.elements(), checked);
    }

    @Override
    public void gradient(Queue queue, Tensor capped, double cap, Tensor dy) {
        MetaTensor gradient = MetaTensor.CHECK.floating("x", dy);
        MetaTensor values = MetaTensor.CHECK.vector("capped", capped, gradient.elements(), gradient.dtype());
        work.book(queue, "softCap.gradient", 4 * gradient.elements(), gradient, values);
    }
}
