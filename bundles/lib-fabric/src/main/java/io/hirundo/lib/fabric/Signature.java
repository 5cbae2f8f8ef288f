package io.hirundo.lib.fabric;

import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * What all ranks of a collective must agree on.
 *
 * @param reduction null if nothing is reduced
 * @param root group rank that broadcasts, else 0
 * @param dtype null for a barrier
 * @param elements of the full tensor: reduced, gathered, exchanged, broadcast or sent
 */
public record Signature(Collective kind, Reduction reduction, int root, DType dtype, long elements) {
    public static final Signature BARRIER = new Signature(Collective.BARRIER, null, 0, null, 0);

    public static Signature of(Collective kind, Tensor whole) {
        return new Signature(kind, null, 0, whole.dtype(), whole.elements());
    }

    /** Whether two ranks' calls match. A send matches a receive of the same size. */
    public boolean fits(Signature other) {
        if (kind.isBetweenTwo()) {
            return kind != other.kind
                    && other.kind.isBetweenTwo()
                    && dtype == other.dtype
                    && elements == other.elements;
        }
        return equals(other);
    }

    /** Dtype of the reduction: BF16 sums accumulate in FP32 and are rounded once. */
    public DType reductionType() {
        return dtype == DType.BF16 && reduction != Reduction.MAX ? DType.FP32 : dtype;
    }

    /** Bytes of the full tensor. */
    public long wholeBytes() {
        return dtype == null ? 0 : elements * dtype.byteSize();
    }

    /** For instance {@code all-reduce SUM of 12 FP32}. */
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
