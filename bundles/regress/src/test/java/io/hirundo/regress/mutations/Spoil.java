package io.hirundo.regress.mutations;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** Does a GEMM of a layer in place of the sound strategy, and does it wrong. */
@FunctionalInterface
interface Spoil {
  void gemm(Gemm gemm);

  /**
   * A GEMM.
   *
   * @param left x [T, K], or dy [T, N]
   * @param right the weight [N, K]; of a weight gradient x [T, K]
   * @param call counts the layer's GEMMs of this kind from 1; 0 before the training, with few tokens
   * @param sound the strategy's own
   */
  record Gemm(
      Device device, LinearMath math, LinearProduct kind, Queue queue, Tensor left, Tensor right, Tensor result, long call, Runnable sound) {
    void scale(Tensor part, double factor) {
      device.kernels().elementwise().scale(queue, part, factor);
    }

    /** One element of the result. */
    Tensor element(long row, long column) {
      return row(row, column, 1);
    }

    /** A part of one row of the result, of the last where there are fewer. */
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

  /** The sound GEMM, and after it something else. */
  static Spoil after(Spoil other) {
    return gemm -> {
      gemm.sound().run();
      other.gemm(gemm);
    };
  }

  /** In GEMMs of one kind. */
  Spoil SOUND = gemm -> gemm.sound().run();

  default Spoil only(LinearProduct kind) {
    return gemm -> (gemm.kind() == kind ? this : SOUND).gemm(gemm);
  }

  /** In one call of the layer alone, as a fault of the device that passes. */
  default Spoil once(long call) {
    return gemm -> (gemm.call() == call ? this : SOUND).gemm(gemm);
  }
}
