package io.hirundo.lib.fabric;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The parts of an all-to-all of rows, on one rank. */
final class RowExchange {
    private final Tensor from;
    private final long[] sendRows;
    private final Tensor to;
    private final long[] receiveRows;
    private final int place;

    /**
     * @param place of the rank among them
     * @throws IllegalArgumentException if the counts do not fit the ranks or the tensors
     */
    RowExchange(Tensor from, long[] sendRows, Tensor to, long[] receiveRows, int ranks, int place) {
        this.from = from;
        this.sendRows = sendRows.clone();
        this.to = to;
        this.receiveRows = receiveRows.clone();
        this.place = place;
        if (from == to || from.dtype() != to.dtype() || !columns(from).equals(columns(to))) {
            throw new IllegalArgumentException(title() + " from " + from.shape() + " " + from.dtype() + " to "
                    + to.shape() + " " + to.dtype() + ": pass two tensors of the same dtype and columns");
        }
        requireCounts("sendRows", sendRows, from, ranks);
        requireCounts("receiveRows", receiveRows, to, ranks);
        if (sendRows[place] != receiveRows[place]) {
            throw new IllegalArgumentException(title() + ": rank " + place + " sends " + sendRows[place]
                    + " rows to itself, but receives " + receiveRows[place] + "; pass the same count");
        }
    }

    private static String title() {
        return "all-to-all of rows";
    }

    private static List<Long> columns(Tensor tensor) {
        List<Long> dims = tensor.shape().dims();
        return dims.subList(1, dims.size());
    }

    private static void requireCounts(String name, long[] rows, Tensor of, int ranks) {
        boolean fits = rows.length == ranks
                && Arrays.stream(rows).allMatch(count -> count >= 0)
                && Arrays.stream(rows).sum() <= of.shape().dim(0);
        if (!fits) {
            throw new IllegalArgumentException(title() + ": " + name + " " + Arrays.toString(rows)
                    + " is wrong (allowed: a count of at least 0 for each of " + ranks + " ranks, together at most "
                    + of.shape().dim(0) + ")");
        }
    }

    /** What a rank gets. It may have no row. */
    Tensor sent(int rank) {
        return part(from, sendRows, rank);
    }

    /** What a rank sends. It may have no row. */
    Tensor received(int rank) {
        return part(to, receiveRows, rank);
    }

    private static Tensor part(Tensor of, long[] rows, int rank) {
        return of.rows(Arrays.stream(rows, 0, rank).sum(), rows[rank]);
    }

    /** The rows that stay on this rank. */
    void copyOwn(ElementwiseKernels kernels, Queue queue) {
        if (sendRows[place] > 0) {
            kernels.copy(queue, sent(place), received(place));
        }
    }
}
