package io.hirundo.paralleltp.internal.residual;

import io.hirundo.device.MemoryCategory;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.PackedMatrix;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.function.Function;

/**
 * The send and receive buffers of an all-gather of residual rows, which may be packed by a precision. Shards of ranks are concatenated
 * along the outermost dimension.
 *
 * @param own the shard that this rank sends
 * @param gathered receives the shards of all ranks
 * @param isInPlace whether {@code own} is a view of this rank's shard in {@code gathered}
 * @param asOperand makes an operand of a GEMM from buffers
 */
public record GatherBuffers<T>(
        List<Tensor> own, List<Tensor> gathered, boolean isInPlace, Function<List<Tensor>, T> asOperand) {
    /** Buffers for plain values. The caller closes {@code xRK}. A single rank needs no second buffer: it gathers a view. */
    public static GatherBuffers<Tensor> of(StepContext context, ResidualStream stream, Tensor xRK) {
        Shape shape = xRK.shape();
        int shards = stream.shards();
        Tensor gathered = shards == 1
                ? xRK.view(0, shape)
                : context.device()
                        .allocate(
                                MemoryCategory.COMMUNICATION,
                                Shape.of(shards * shape.dim(0), shape.dim(1)),
                                xRK.dtype());
        return new GatherBuffers<>(List.of(xRK), List.of(gathered), shards == 1, List::getFirst);
    }

    /** Buffers for rows that a precision packs as the operand of one of its GEMMs. */
    public static GatherBuffers<PackedOperand> packed(
            StepContext context,
            ResidualStream stream,
            PackedMatrix matrix,
            Operand operand,
            Contraction over,
            Tensor xRK) {
        PackedOperand gathered =
                matrix.products().allocate(operand, over, xRK.shape().dim(0), stream.shards());
        PackedOperand own = gathered.piece(stream.shard());
        matrix.products().pack(context.queue(), operand, over, xRK, own);
        return new GatherBuffers<>(own.tensors(), gathered.tensors(), true, PackedOperand::new);
    }

    T operand() {
        return asOperand.apply(gathered);
    }

    /** The buffers that receive the shard of one rank. */
    List<Tensor> shardOf(int rank, int ranks) {
        return gathered.stream()
                .map(tensor -> {
                    long count = tensor.shape().dim(0) / ranks;
                    return tensor.rows(rank * count, count);
                })
                .toList();
    }

    void close() {
        gathered.forEach(Tensor::close);
    }
}
