package __package__;

import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.lib.files.DurableFile;
import io.hirundo.strategy.Choice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A folder with {@code model.json} and one file of weights, which the manifest names. Renaming a new manifest over the old one replaces the
 * model in one step: until then the folder has the earlier model.
 */
record __Name__Format(boolean verify) implements ModelFormat {
    private static final String UNFINISHED = ".model.json.part";

    @Override
    public ModelReader open(Path directory) {
        return __Name__Reader.open(directory.resolve(__Name__Manifest.NAME), verify);
    }

    @Override
    public void write(Path directory, Choice architecture, List<ModelPart> parts) {
        write(directory, architecture, parts, written -> {});
    }

    /** Called on one rank, which gets one tensor after the other. Formats that let all ranks write override {@code beginWrite} too. */
    @Override
    public void write(Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
        Path weights = directory.resolve("weights-" + UUID.randomUUID() + ".bin");
        Path unfinished = directory.resolve(UNFINISHED);
        try {
            try {
                Files.createDirectories(directory);
                var manifest = new __Name__Manifest(
                        architecture, weights.getFileName().toString(), writeWeights(weights, parts));
                Files.deleteIfExists(unfinished);
                DurableFile.write(unfinished, manifest.json());
                try (ModelReader written = __Name__Reader.open(unfinished, verify)) {
                    check.accept(written);
                }
                Files.move(unfinished, directory.resolve(__Name__Manifest.NAME), StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException | RuntimeException e) {
                Files.deleteIfExists(unfinished);
                Files.deleteIfExists(weights);
                throw e;
            }
            DurableFile.syncNames(directory);
            deleteOthers(directory, weights);
        } catch (IOException e) {
            throw new StorageException(
                    "cannot write " + directory + ": " + Reason.of(e) + "; free space or fix its permissions", e);
        }
    }

    private static SequencedMap<String, __Name__Manifest.Tensor> writeWeights(Path file, List<ModelPart> parts)
            throws IOException {
        SequencedMap<String, __Name__Manifest.Tensor> tensors = new LinkedHashMap<>();
        long position = 0;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (ModelPart part : parts) {
                // Shared: the download may run on a thread of the device.
                try (Arena arena = Arena.ofShared()) {
                    MemorySegment values = arena.allocate(part.shape().byteSize(part.dtype()), Long.BYTES);
                    part.download().accept(values);
                    DurableFile.writeFully(channel, values, position);
                    long crc32c = __Name__Reader.crc32c(values);
                    tensors.put(
                            part.path(),
                            new __Name__Manifest.Tensor(
                                    part.dtype(), part.shape().dims(), position, crc32c));
                    position += values.byteSize();
                }
            }
            channel.force(true);
        }
        return tensors;
    }

    /** The weights of the earlier model, and of writes that were killed. The new model is visible: what remains, the next write deletes. */
    private static void deleteOthers(Path directory, Path weights) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                boolean others = __Name__Manifest.WEIGHTS
                        .matcher(file.getFileName().toString())
                        .matches();
                if (others && !file.equals(weights)) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException | UncheckedIOException remains) {
            // Not a failure of the write.
        }
    }
}
