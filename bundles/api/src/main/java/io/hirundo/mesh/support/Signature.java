package io.hirundo.mesh.support;

import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * What all ranks of a collective must agree about.
 *
 * @param reduction null where nothing is combined
 * @param root place of the rank that broadcasts, 0 elsewhere
 * @param dtype null for a barrier
 * @param elements of the whole: of what is reduced, gathered, exchanged, broadcast or sent
 */
public record Signature(Collective kind, Reduction reduction, int root, DType dtype, long elements) {
  public static final Signature BARRIER = new Signature(Collective.BARRIER, null, 0, null, 0);

  public static Signature of(Collective kind, Tensor whole) {
    return new Signature(kind, null, 0, whole.dtype(), whole.elements());
  }

  /** Whether two ranks mean the same. A send means what a receive of as much does. */
  public boolean fits(Signature other) {
    if (kind.isBetweenTwo()) {
      return kind != other.kind && other.kind.isBetweenTwo() && dtype == other.dtype && elements == other.elements;
    }
    return equals(other);
  }

  /** The type that ranks are combined in: sums of BF16 are made in FP32, so that they are rounded once. */
  public DType reductionType() {
    return dtype == DType.BF16 && reduction != Reduction.MAX ? DType.FP32 : dtype;
  }

  /** Bytes of the whole. */
  public long wholeBytes() {
    return dtype == null ? 0 : elements * dtype.byteSize();
  }

  /** As in {@code all-reduce SUM of 12 FP32}. */
  @Override
  public String toString() {
    if (kind == Collective.BARRIER) {
      return kind.toString();
    }
    String how = reduction == null ? "" : " " + reduction;
    String from = kind == Collective.BROADCAST ? " from place " + root : "";
    return kind + how + " of " + elements + " " + dtype + from;
  }
}
