package io.hirundo.lib.engine.data;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.layout.TokenSplit;
import io.hirundo.lib.engine.tensors.HostCopies;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/** A microbatch's tensors on the device: this rank's tokens of its sequences. */
public final class DeviceBatch implements AutoCloseable {
    private final MicroBatch batch;

    /** Uploads rows of equal length. */
    public DeviceBatch(Device device, Queue queue, HostBatch host, TokenSplit split) {
        this(device, queue, host, host.rows().size(), split);
    }

    /** As above; only labels of the first {@code counted} rows count in the loss. */
    public DeviceBatch(Device device, Queue queue, HostBatch host, int counted, TokenSplit split) {
        List<int[]> rows = host.rows();
        List<RowDocuments> documents = rows.stream()
                .map(row -> new RowDocuments(row, host.documents()))
                .toList();
        int sequenceTokens = rows.getFirst().length - 1;
        int pieceTokens = split.pieceTokens(sequenceTokens);
        int tokens = rows.size() * split.localTokens(sequenceTokens);
        int[] inputs = new int[tokens];
        int[] labels = new int[tokens];
        int[] positions = new int[tokens];
        int[] starts = new int[tokens];
        float[] weights = new float[tokens];
        int at = 0;
        for (int piece : split.pieces()) {
            for (int index = 0; index < rows.size(); index++) {
                int[] row = rows.get(index);
                RowDocuments of = documents.get(index);
                int first = piece * pieceTokens;
                System.arraycopy(row, first, inputs, at, pieceTokens);
                System.arraycopy(row, first + 1, labels, at, pieceTokens);
                for (int token = 0; token < pieceTokens; token++) {
                    positions[at + token] = of.position(first + token);
                    starts[at + token] = of.start(first + token);
                    weights[at + token] = index < counted ? of.weight(first + token) : 0;
                }
                at += pieceTokens;
            }
        }
        batch = new MicroBatch(
                rows.size(),
                split.localTokens(sequenceTokens),
                split.pieces().size(),
                upload(device, queue, inputs),
                upload(device, queue, labels),
                upload(device, queue, weights),
                upload(device, queue, positions),
                host.documents().separateAttention() ? Optional.of(upload(device, queue, starts)) : Optional.empty());
    }

    public MicroBatch batch() {
        return batch;
    }

    @Override
    public void close() {
        batch.tokensT().close();
        batch.labelsT().close();
        batch.lossWeightsT().close();
        batch.positionsT().close();
        batch.documentStartsT().ifPresent(Tensor::close);
    }

    private static Tensor upload(Device device, Queue queue, int[] values) {
        Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, Shape.of(values.length), DType.INT32);
        HostCopies.upload(device, queue, values, tensor);
        return tensor;
    }

    private static Tensor upload(Device device, Queue queue, float[] values) {
        Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, Shape.of(values.length), DType.FP32);
        HostCopies.upload(device, queue, values, tensor);
        return tensor;
    }
}
