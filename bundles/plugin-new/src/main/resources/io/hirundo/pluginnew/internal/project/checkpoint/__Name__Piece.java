package __package__;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A shard of a tensor.
 *
 * @param key of the tensor
 * @param dtype of its elements
 * @param whole global shape of the tensor
 * @param offset of the shard in the tensor
 * @param shape of the shard
 */
record __Name__Piece(String key, DType dtype, Shape whole, List<Long> offset, Shape shape) {
    static __Name__Piece of(StateShard shard) {
        return new __Name__Piece(
                shard.key(),
                shard.local().dtype(),
                shard.globalShape(),
                shard.offset(),
                shard.local().shape());
    }

    /** Copies the overlap with another shard of the same tensor; returns its number of elements. */
    long copyTo(MemorySegment own, __Name__Piece other, MemorySegment others) {
        return copy(0, 0, own, other, 0, others);
    }

    /** Copies from a dimension on; {@code at} and {@code to} count earlier elements, in blocks of the later dimensions. */
    private long copy(int dim, long at, MemorySegment own, __Name__Piece other, long to, MemorySegment others) {
        if (dim == shape.rank()) {
            int bytes = dtype.byteSize();
            MemorySegment.copy(own, at * bytes, others, to * bytes, bytes);
            return 1;
        }
        long begin = Math.max(offset.get(dim), other.offset.get(dim));
        long end = Math.min(offset.get(dim) + shape.dim(dim), other.offset.get(dim) + other.shape.dim(dim));
        long from = at * shape.dim(dim) + begin - offset.get(dim);
        long target = to * other.shape.dim(dim) + begin - other.offset.get(dim);
        if (dim == shape.rank() - 1 && begin < end) {
            int bytes = dtype.byteSize();
            MemorySegment.copy(own, from * bytes, others, target * bytes, (end - begin) * bytes);
            return end - begin;
        }
        long copied = 0;
        for (long i = 0; i < end - begin; i++) {
            copied += copy(dim + 1, from + i, own, other, target + i, others);
        }
        return copied;
    }
}
