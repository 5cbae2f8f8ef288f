package __package__;

import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.Tensor;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts and times GEMMs, and delegates them to the other device. To compute them yourself, change the three methods. M and N are rows and
 * columns of the result, K is the contracted dimension. Operands are FP32 or BF16, or all FP64; invalid ones are an {@link
 * IllegalArgumentException} that names the operand.
 *
 * <p>Measures the duration of the call. That equals the duration of the work on a synchronous device such as {@code cpu}; a device that
 * queues its work needs events instead.
 */
final class __Name__Gemm implements GemmKernels {
    private final GemmKernels base;
    private final LongAdder gemms = new LongAdder();
    private final LongAdder flops = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    __Name__Gemm(GemmKernels base) {
        this.base = base;
    }

    @Override
    public void multiplyNT(Queue queue, Tensor aMK, Tensor bNK, Tensor cMN, boolean accumulate) {
        timed(cMN, aMK.shape().dim(-1), () -> base.multiplyNT(queue, aMK, bNK, cMN, accumulate));
    }

    @Override
    public void multiplyNN(Queue queue, Tensor aMK, Tensor bKN, Tensor cMN, boolean accumulate) {
        timed(cMN, aMK.shape().dim(-1), () -> base.multiplyNN(queue, aMK, bKN, cMN, accumulate));
    }

    @Override
    public void multiplyTN(Queue queue, Tensor aKM, Tensor bKN, Tensor cMN, boolean accumulate) {
        timed(cMN, aKM.shape().rows(), () -> base.multiplyTN(queue, aKM, bKN, cMN, accumulate));
    }

    private void timed(Tensor cMN, long contracted, Runnable product) {
        long start = System.nanoTime();
        product.run();
        nanos.add(System.nanoTime() - start);
        gemms.increment();
        flops.add(2 * cMN.elements() * contracted);
    }

    /** A one-line summary of the calls so far. */
    String summary() {
        double seconds = nanos.sum() / 1e9;
        return String.format(Locale.ROOT, "%d GEMMs, %.3f GFLOP in %.3f s", gemms.sum(), flops.sum() / 1e9, seconds);
    }
}
