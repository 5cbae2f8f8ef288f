package io.hirundo.lib.tensor;

import java.util.Optional;

/**
 * The common elements of two slices of a tensor, both stored row-major, as runs that are contiguous in both. Runs are numbered in row-major
 * order, so their positions ascend in both slices.
 */
public final class SliceOverlap {
    /** Receives a run: its first element in the source and in the target, and its length in elements. */
    @FunctionalInterface
    public interface RunConsumer {
        void accept(long sourceElement, long targetElement, long elements);
    }

    private final long[] begin;
    private final long[] extent;
    private final TensorSlice source;
    private final TensorSlice target;
    private final int outerDims;
    private final long runElements;
    private final long runs;

    private SliceOverlap(TensorSlice source, TensorSlice target) {
        int rank = source.shape().rank();
        this.source = source;
        this.target = target;
        this.begin = new long[rank];
        this.extent = new long[rank];
        for (int dim = 0; dim < rank; dim++) {
            begin[dim] = Math.max(source.offset().get(dim), target.offset().get(dim));
            extent[dim] = Math.min(source.end(dim), target.end(dim)) - begin[dim];
        }
        int outer = rank;
        long run = 1;
        boolean isWhole = true;
        while (isWhole && outer > 0) {
            outer--;
            run *= extent[outer];
            isWhole = extent[outer] == source.shape().dim(outer)
                    && extent[outer] == target.shape().dim(outer);
        }
        long count = 1;
        for (int dim = 0; dim < outer; dim++) {
            count *= extent[dim];
        }
        this.outerDims = outer;
        this.runElements = run;
        this.runs = count;
    }

    /** Empty if they have no element in common. */
    public static Optional<SliceOverlap> of(TensorSlice source, TensorSlice target) {
        boolean isEmpty = source.shape().elements() == 0 || target.shape().elements() == 0;
        return isEmpty || !source.overlaps(target) ? Optional.empty() : Optional.of(new SliceOverlap(source, target));
    }

    public void forEachRun(RunConsumer consumer) {
        for (long run = 0; run < runs; run++) {
            consumer.accept(inSource(run), inTarget(run), runElements);
        }
    }

    public long runs() {
        return runs;
    }

    public long runElements() {
        return runElements;
    }

    /** First element of a run, counted from the beginning of the source. */
    public long inSource(long run) {
        return elementIn(source, run);
    }

    /** First element of a run, counted from the beginning of the target. */
    public long inTarget(long run) {
        return elementIn(target, run);
    }

    /** The first run that ends behind this element of the target; the number of runs if there is none. */
    public long firstRunBehind(long targetElement) {
        long low = 0;
        long high = runs;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (inTarget(middle) + runElements > targetElement) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private long elementIn(TensorSlice slice, long run) {
        long element = 0;
        long stride = 1;
        long left = run;
        for (int dim = begin.length - 1; dim >= 0; dim--) {
            long index = begin[dim] - slice.offset().get(dim);
            if (dim < outerDims) {
                index += left % extent[dim];
                left /= extent[dim];
            }
            element += index * stride;
            stride *= slice.shape().dim(dim);
        }
        return element;
    }
}
