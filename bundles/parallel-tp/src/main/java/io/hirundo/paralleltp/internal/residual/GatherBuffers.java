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
 * Rows of the residual stream that go to all ranks, as they are or packed, with room for those that come. Ranks' shares lie along
 * the outermost dimension.
 *
 * @param own what this rank sends
 * @param room for what all ranks have
 * @param placed whether {@code own} is this rank's share of {@code room}
 * @param form makes of tensors what products read
 */
public record GatherBuffers<T>(List<Tensor> own, List<Tensor> room, boolean placed, Function<List<Tensor>, T> form) {
    /** As values. The caller keeps {@code xRK}; where it is all there is, no room is taken. */
    public static GatherBuffers<Tensor> of(StepContext context, ResidualStream stream, Tensor xRK) {
        Shape shape = xRK.shape();
        int shards = stream.shards();
        Tensor room = shards == 1
                ? xRK.view(0, shape)
                : context.device()
                        .allocate(
                                MemoryCategory.COMMUNICATION,
                                Shape.of(shards * shape.dim(0), shape.dim(1)),
                                xRK.dtype());
        return new GatherBuffers<>(List.of(xRK), List.of(room), shards == 1, List::getFirst);
    }

    /** Packed by a precision, for one of its products. */
    public static GatherBuffers<PackedOperand> packed(
            StepContext context,
            ResidualStream stream,
            PackedMatrix matrix,
            Operand operand,
            Contraction over,
            Tensor xRK) {
        PackedOperand room =
                matrix.products().allocate(operand, over, xRK.shape().dim(0), stream.shards());
        PackedOperand own = room.piece(stream.shard());
        matrix.products().pack(context.queue(), operand, over, xRK, own);
        return new GatherBuffers<>(own.tensors(), room.tensors(), true, PackedOperand::new);
    }

    T whole() {
        return form.apply(room);
    }

    /** Room for what one of the ranks has. */
    List<Tensor> share(int rank, int ranks) {
        return room.stream()
                .map(tensor -> {
                    long count = tensor.shape().dim(0) / ranks;
                    return tensor.rows(rank * count, count);
                })
                .toList();
    }

    void close() {
        room.forEach(Tensor::close);
    }
}
