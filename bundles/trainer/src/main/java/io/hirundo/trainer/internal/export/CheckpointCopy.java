package io.hirundo.trainer.internal.export;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies a model's weights from a checkpoint, one window of rows at a time, so that memory holds only
 * one window on the device and one on the host.
 *
 * @param rank a world of one rank
 * @param windowBytes per window; a single row may be larger
 */
record CheckpointCopy(Rank rank, CheckpointSession session, CheckpointInfo checkpoint, long windowBytes) {
    /** Copies all tensors, which have one data type. */
    void copy(List<ModelTensor> tensors, ModelWriting into) {
        var window = new ArrayList<ParameterPart>();
        long bytes = 0;
        int elementBytes = tensors.getFirst().dtype().byteSize();
        for (ModelTensor tensor : tensors) {
            for (ParameterPart part : parts(tensor)) {
                long partBytes = part.shape().elements() * elementBytes;
                if (!window.isEmpty() && bytes + partBytes > windowBytes) {
                    copyWindow(window, tensor, into);
                    window.clear();
                    bytes = 0;
                }
                window.add(part);
                bytes += partBytes;
            }
        }
        copyWindow(window, tensors.getLast(), into);
    }

    private List<ParameterPart> parts(ModelTensor tensor) {
        long rows = tensor.shape().dim(0);
        long windowRows = Math.clamp(windowBytes / (tensor.byteSize() / rows), 1, rows);
        var whole = ParameterPart.whole(tensor.path(), tensor.shape());
        var parts = new ArrayList<ParameterPart>();
        for (long row = 0; row < rows; row += windowRows) {
            parts.add(whole.narrow(0, row, Math.min(windowRows, rows - row)));
        }
        return parts;
    }

    private void copyWindow(List<ParameterPart> parts, ModelTensor alike, ModelWriting into) {
        Shape elements = Shape.of(
                parts.stream().mapToLong(part -> part.shape().elements()).sum());
        try (Tensor onDevice = rank.device().allocate(MemoryCategory.WEIGHTS, elements, alike.dtype());
                Arena arena = Arena.ofShared()) {
            var shards = new ArrayList<StateShard>();
            long first = 0;
            for (ParameterPart part : parts) {
                Tensor view = onDevice.view(first, part.shape());
                shards.add(new StateShard(
                        ModelWeights.KEY_PREFIX + part.path(), part.globalShape(), part.offset(), view, 0));
                first += part.shape().elements();
            }
            session.load(checkpoint, shards);
            MemorySegment host = arena.allocate(onDevice.byteSize(), 64);
            rank.device().transfer().download(rank.queue(), onDevice, host);
            rank.queue().drain();
            long begin = 0;
            for (ParameterPart part : parts) {
                long bytes = part.shape().byteSize(alike.dtype());
                into.write(part, host.asSlice(begin, bytes));
                begin += bytes;
            }
        }
    }
}
