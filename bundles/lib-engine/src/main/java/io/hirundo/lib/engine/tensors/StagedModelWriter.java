package io.hirundo.lib.engine.tensors;

import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.lib.files.DurableFile;
import io.hirundo.lib.input.MappedFault;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Lets several ranks write in a format that can only write complete tensors. The ranks write their slices to one raw file next to
 * the model; the leader then passes the format one tensor after the other.
 */
public final class StagedModelWriter implements ModelWriting {
    private final ModelFormat format;
    private final Path directory;
    private final Choice architecture;
    private final List<ModelTensor> tensors;
    private final Path staged;
    private final Map<String, Long> positions = new HashMap<>();
    private FileChannel open;
    private boolean created;

    private StagedModelWriter(ModelFormat format, Path directory, Choice architecture, List<ModelTensor> tensors) {
        this.format = format;
        this.directory = directory;
        this.architecture = architecture;
        this.tensors = tensors;
        this.staged = directory.resolveSibling("." + directory.getFileName() + ".parts");
        long position = 0;
        for (ModelTensor tensor : tensors) {
            positions.put(tensor.path(), position);
            position += tensor.byteSize();
        }
    }

    /** As {@link ModelFormat#beginWrite}, for any format. */
    public static ModelWriting begin(
            ModelFormat format, Path directory, Choice architecture, List<ModelTensor> tensors) {
        return format.beginWrite(directory, architecture, tensors)
                .orElseGet(() -> new StagedModelWriter(format, directory, architecture, tensors));
    }

    /** An operation on the file. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    private void attempt(Work work) {
        try {
            work.run();
        } catch (IOException e) {
            throw new StorageException(
                    "the model cannot be written to " + directory + ": " + Reason.of(e)
                            + "; make room, or choose a folder that all ranks see",
                    e);
        }
    }

    @Override
    public void create() {
        attempt(() -> {
            Files.createDirectories(staged.getParent());
            Files.deleteIfExists(staged);
            Files.createFile(staged);
            created = true;
        });
    }

    @Override
    public void write(ParameterPart part, MemorySegment values) {
        attempt(() -> {
            if (open == null) {
                open = FileChannel.open(staged, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            }
            boolean matrix = part.shape().rank() > 1;
            long rows = matrix ? part.shape().dim(0) : 1;
            long rowBytes = values.byteSize() / rows;
            long elementBytes = values.byteSize() / part.shape().elements();
            long columns = matrix ? part.globalShape().dim(1) : 0;
            long first = matrix
                    ? part.offset().get(0) * columns + part.offset().get(1)
                    : part.offset().get(0);
            for (long row = 0; row < rows; row++) {
                long position = positions.get(part.path()) + (first + row * columns) * elementBytes;
                DurableFile.writeFully(open, values.asSlice(row * rowBytes, rowBytes), position);
            }
        });
    }

    @Override
    public void flush() {
        attempt(() -> {
            if (open != null) {
                open.force(true);
            }
        });
    }

    @Override
    public void commit(Consumer<ModelReader> check) {
        List<ModelPart> parts = tensors.stream()
                .map(tensor -> new ModelPart(tensor.path(), tensor.shape(), tensor.dtype(), host -> read(tensor, host)))
                .toList();
        format.write(directory, architecture, parts, check);
    }

    private void read(ModelTensor tensor, MemorySegment host) {
        attempt(() -> {
            try (FileChannel file = FileChannel.open(staged, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
                    Arena arena = Arena.ofConfined()) {
                long position = positions.get(tensor.path());
                host.copyFrom(file.map(FileChannel.MapMode.READ_ONLY, position, tensor.byteSize(), arena));
                MappedFault.await();
            } catch (InternalError failure) {
                throw new IOException(MappedFault.explain(staged, failure), failure);
            }
        });
    }

    @Override
    public void close() {
        attempt(() -> {
            if (open != null) {
                open.close();
            }
            if (created) {
                Files.deleteIfExists(staged);
            }
        });
    }
}
