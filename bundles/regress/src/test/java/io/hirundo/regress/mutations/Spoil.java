package io.hirundo.regress.mutations;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** Replaces a GEMM of a layer by a wrong one. */
@FunctionalInterface
interface Spoil {
    void gemm(Gemm gemm);

    /**
     * A GEMM.
     *
     * @param left x [T, K], or dy [T, N]
     * @param right the weight [N, K]; for a weight gradient x [T, K]
     * @param call 1-based number of the layer's GEMMs of this kind; 0 before training, with few tokens
     * @param sound the correct GEMM
     */
    record Gemm(
            Device device,
            LinearMath math,
            LinearProduct kind,
            Queue queue,
            Tensor left,
            Tensor right,
            Tensor result,
            long call,
            Runnable sound) {
        void scale(Tensor part, double factor) {
            device.kernels().elementwise().scale(queue, part, factor);
        }

        /** One element of the result. */
        Tensor element(long row, long column) {
            return row(row, column, 1);
        }

        /** A part of one row of the result; the last row if there are fewer rows. */
        Tensor row(long row, long column, long count) {
            return result.view(Math.min(row, rows() - 1) * columns() + column, Shape.of(count));
        }

        long rows() {
            return result.shape().rows();
        }

        long columns() {
            return result.shape().dim(-1);
        }
    }

    /** The correct GEMM followed by a modification. */
    static Spoil after(Spoil other) {
        return gemm -> {
            gemm.sound().run();
            other.gemm(gemm);
        };
    }

    /** Only in GEMMs of one kind. */
    Spoil SOUND = gemm -> gemm.sound().run();

    default Spoil only(LinearProduct kind) {
        return gemm -> (gemm.kind() == kind ? this : SOUND).gemm(gemm);
    }

    /** Only in one call of the layer, like a transient device fault. */
    default Spoil once(long call) {
        return gemm -> (gemm.call() == call ? this : SOUND).gemm(gemm);
    }
}
