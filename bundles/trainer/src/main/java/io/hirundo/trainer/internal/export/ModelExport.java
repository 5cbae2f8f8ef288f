package io.hirundo.trainer.internal.export;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.rank.RankAgreement;
import io.hirundo.lib.engine.tensors.ConvertingModelWriter;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.engine.tensors.OwnedSlices;
import io.hirundo.lib.engine.tensors.StagedModelWriter;
import io.hirundo.mesh.Axis;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes a model from all ranks at once. Each rank writes what it owns through one buffer to its place in the files, so no
 * rank holds more than a buffer. Collective: if one rank fails, all fail.
 */
final class ModelExport {
    private static final long BUFFER_BYTES = 64L << 20;

    private final RankModel model;
    private final Rank rank;
    private final DType dtype;
    private final List<ModelTensor> tensors;
    private final long mostBytes;

    /** {@code dtype}: of the weights in the files. */
    ModelExport(RankModel model, DType dtype) {
        this(model, dtype, BUFFER_BYTES);
    }

    /** {@code mostBytes}: of host memory per rank, and the same again where values are converted. */
    ModelExport(RankModel model, DType dtype, long mostBytes) {
        this.model = model;
        this.dtype = dtype;
        this.mostBytes = mostBytes;
        this.rank = model.rank();
        this.tensors = ModelTensors.of(model.spec(), dtype);
    }

    /** Writes the current model; rank 0 calls {@code check} before the folder appears. */
    void write(ModelFormat format, Path directory, Choice architecture, Consumer<ModelReader> check) {
        requireWhole();
        boolean leads = rank.world().rank() == 0;
        var agreement = new RankAgreement(rank);
        try (ModelWriting writing = ConvertingModelWriter.of(
                StagedModelWriter.begin(format, directory, architecture, tensors), model.parameterType(), dtype)) {
            agreement.attempt(() -> onlyIf(leads, writing::create));
            agreement.attempt(() -> writeOwn(writing));
            agreement.attempt(() -> onlyIf(leads, () -> writing.commit(check)));
        }
    }

    private static void onlyIf(boolean condition, Runnable work) {
        if (condition) {
            work.run();
        }
    }

    /** Parameters that no rank owns would become zeros, which only the parity check would notice. */
    private void requireWhole() {
        long owned = 0;
        for (Parameter run : model.sharded().owned()) {
            for (OwnedSlices.Piece piece : OwnedSlices.of(run)) {
                owned +=
                        piece.part().replicas().isFirst() ? piece.part().shape().elements() : 0;
            }
        }
        long all = rank.sum(owned, Axis.values());
        if (all != model.parameterCount()) {
            throw new IllegalStateException(
                    "the ranks own " + all + " of the model's " + model.parameterCount() + " parameters");
        }
    }

    private void writeOwn(ModelWriting writing) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment buffer = arena.allocate(bufferBytes(), 64);
            for (Parameter run : model.sharded().owned()) {
                for (OwnedSlices.Piece piece : OwnedSlices.of(
                        run, buffer.byteSize() / model.parameterType().byteSize())) {
                    if (piece.part().replicas().isFirst()) {
                        write(writing, piece, run, buffer);
                    }
                }
            }
            writing.flush();
        }
    }

    private long bufferBytes() {
        long largestBytes = model.sharded().owned().stream()
                .mapToLong(run -> run.value().byteSize())
                .max()
                .orElse(0);
        return Math.clamp(largestBytes, model.parameterType().byteSize(), mostBytes);
    }

    private void write(ModelWriting writing, OwnedSlices.Piece piece, Parameter run, MemorySegment buffer) {
        Tensor values = piece.in(run.value());
        MemorySegment host = buffer.asSlice(0, values.byteSize());
        model.device().transfer().download(model.queue(), values, host);
        model.queue().drain();
        writing.write(piece.part(), host);
    }
}
