package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.MappedFault;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.tensor.Shape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An open folder of torch.distributed.checkpoint. One thread opens tensors; any may read them. */
public final class TorchFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TorchFolder.class);

    private final Path path;
    private final DcpMetadata metadata;
    private final DistcpFiles files;
    private boolean lacksChecksums;

    private TorchFolder(Path path, DcpMetadata metadata) {
        this.path = path;
        this.metadata = metadata;
        this.files = new DistcpFiles(path);
    }

    /** The caller closes it. Reads only {@code .metadata}. */
    public static TorchFolder open(Path path) {
        return new TorchFolder(path, MetadataFile.read(path));
    }

    public Path path() {
        return path;
    }

    /** Names and shapes of all tensors, including optimizer states. */
    public Map<String, Shape> shapes() {
        Map<String, Shape> shapes = new TreeMap<>();
        metadata.tensors().forEach((name, tensor) -> shapes.put(name, tensor.shape()));
        return shapes;
    }

    /** Names of entries that are not tensors. */
    public List<String> others() {
        return metadata.others();
    }

    /**
     * Locates all chunks of a tensor and validates everything except their values.
     *
     * @param name one of {@link #shapes}
     */
    public ChunkedTensor tensor(String name) {
        try {
            return open(metadata.tensors().get(name));
        } catch (ArithmeticException e) {
            throw new DataException(wrong(name, "has more elements than can be").getMessage(), e);
        }
    }

    private ChunkedTensor open(DcpTensor described) {
        String name = described.name();
        TorchFloat type = TorchFloat.ofType(described.dtype())
                .orElseThrow(() ->
                        wrong(name, "is of " + described.dtype() + ", but weights must be " + TorchFloat.READABLE));
        List<TensorSlice> chunks = described.chunks().stream()
                .filter(chunk -> chunk.shape().elements() > 0)
                .toList();
        checkTiling(described, chunks);
        List<ChunkedTensor.Part> parts = new ArrayList<>();
        for (TensorSlice chunk : chunks) {
            DcpItem item = metadata.item(name, chunk)
                    .orElseThrow(() -> wrong(name, "has no place for its chunk at " + chunk.offset()));
            String what = "the chunk of '" + Excerpt.of(name) + "' at " + chunk.offset();
            TorchTensor values = open(item, what);
            if (values.type() != type || !values.shape().equals(chunk.shape())) {
                throw wrong(
                        name,
                        "has a chunk at " + chunk.offset() + " that is described as " + chunk.shape() + " of " + type
                                + " and stored as " + values.shape() + " of " + values.type());
            }
            lacksChecksums |= !values.data().hasChecksum();
            parts.add(new ChunkedTensor.Part(path.resolve(item.file()), chunk, values));
        }
        return new ChunkedTensor(described, parts);
    }

    private TorchTensor open(DcpItem item, String what) {
        Path file = path.resolve(item.file());
        try {
            TorchTensor tensor = TorchTensor.open(files.bytes(item, what), file + ": " + what);
            MappedFault.await();
            return tensor;
        } catch (InternalError failure) {
            throw DistcpFiles.fault(file, failure);
        }
    }

    /** The chunks do not overlap, so the element count shows whether all are present. */
    private void checkTiling(DcpTensor tensor, List<TensorSlice> chunks) {
        long elements = 0;
        for (TensorSlice chunk : chunks) {
            elements = Math.addExact(elements, chunk.shape().elements());
        }
        if (elements != tensor.shape().elements()) {
            throw wrong(
                    tensor.name(),
                    "is " + tensor.shape() + ", " + tensor.shape().elements() + " elements, but its chunks have "
                            + elements);
        }
        if (tensor.shape().rank() == 0) {
            return;
        }
        List<TensorSlice> sorted = chunks.stream()
                .sorted(Comparator.comparingLong(chunk -> chunk.offset().getFirst()))
                .toList();
        for (int index = 0; index < sorted.size(); index++) {
            TensorSlice chunk = sorted.get(index);
            for (int next = index + 1;
                    next < sorted.size() && sorted.get(next).offset().getFirst() < chunk.end(0);
                    next++) {
                if (chunk.overlaps(sorted.get(next))) {
                    throw wrong(
                            tensor.name(),
                            "has chunks at " + chunk.offset() + " and "
                                    + sorted.get(next).offset() + " that overlap");
                }
            }
        }
    }

    /** Warns if flipped bits would go unnoticed. After all tensors are found good, because a damaged archive may look as if it had no checksums. */
    public void warnOfMissingChecksums() {
        if (lacksChecksums) {
            LOG.warn(
                    "{} was saved without CRC-32 checksums (set_crc32_options(False)): flipped bits in its tensors go unnoticed",
                    path);
        }
    }

    /** An error in a tensor's metadata. */
    public DataException wrong(String name, String what) {
        return new DataException(path.resolve(MetadataFile.NAME) + ": tensor '" + Excerpt.of(name) + "' " + what);
    }

    @Override
    public void close() {
        files.close();
    }
}
