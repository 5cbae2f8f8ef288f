package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.lib.input.MappedFault;
import io.hirundo.lib.tensor.FloatConversion;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** A tensor stored in chunks that cover it without overlap. Any thread may read. */
public final class ChunkedTensor {
    /** A chunk and its values, in a mapped file. */
    record Part(Path file, TensorSlice chunk, TorchTensor values) {}

    private final String name;
    private final String dtype;
    private final Shape shape;
    private final List<Part> parts;

    ChunkedTensor(DcpTensor described, List<Part> parts) {
        this.name = described.name();
        this.dtype = described.dtype();
        this.shape = described.shape();
        this.parts = List.copyOf(parts);
    }

    /** The stored name. */
    public String name() {
        return name;
    }

    /** PyTorch's name of the dtype. */
    public String dtype() {
        return dtype;
    }

    public Shape shape() {
        return shape;
    }

    /**
     * Reads a rectangle.
     *
     * @param offset of the rectangle
     * @param piece shape of the rectangle
     * @param into row-major memory of {@code piece.byteSize(dtype)} bytes
     */
    public void read(List<Long> offset, Shape piece, DType dtype, MemorySegment into) {
        var wanted = new TensorSlice(offset, piece);
        for (Part part : parts) {
            if (part.chunk().overlaps(wanted)) {
                try {
                    copy(part, wanted, dtype, into);
                    MappedFault.await();
                } catch (InternalError failure) {
                    throw DistcpFiles.fault(part.file(), failure);
                }
            }
        }
    }

    private static void copy(Part part, TensorSlice wanted, DType dtype, MemorySegment into) {
        TensorSlice chunk = part.chunk();
        TorchTensor values = part.values();
        int rank = wanted.shape().rank();
        long[] begin = new long[rank];
        long[] end = new long[rank];
        for (int dim = 0; dim < rank; dim++) {
            begin[dim] = Math.max(chunk.offset().get(dim), wanted.offset().get(dim));
            end[dim] = Math.min(chunk.end(dim), wanted.end(dim));
        }
        var conversion =
                new FloatConversion(values.data().checked(), values.type().stored(), into, dtype);
        long run = rank == 0 ? 1 : end[rank - 1] - begin[rank - 1];
        long[] at = begin.clone();
        do {
            long[] inChunk = new long[rank];
            long target = 0;
            for (int dim = 0; dim < rank; dim++) {
                inChunk[dim] = at[dim] - chunk.offset().get(dim);
                target = target * wanted.shape().dim(dim)
                        + at[dim]
                        - wanted.offset().get(dim);
            }
            values.convert(inChunk, run, conversion, target);
        } while (advance(at, begin, end));
    }

    /** Advances to the next run: counts all dimensions except the last. */
    private static boolean advance(long[] at, long[] begin, long[] end) {
        for (int dim = at.length - 2; dim >= 0; dim--) {
            if (++at[dim] < end[dim]) {
                return true;
            }
            at[dim] = begin[dim];
        }
        return false;
    }
}
