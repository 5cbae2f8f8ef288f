package io.hirundo.checkpointhf.internal.format;

import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.checkpointhf.internal.file.FolderReplacement;
import io.hirundo.checkpointhf.internal.format.ModelLayout.Place;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.lib.family.StoredSlices;
import io.hirundo.lib.files.DurableFile;
import io.hirundo.model.parameter.ParameterPart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A model's folder that is being written, by one of the ranks that write it. Values go to the bytes of the file where they belong, in
 * writes as large as they lie together there.
 */
final class HuggingFaceWriting implements ModelWriting {
    private final ModelLayout layout;
    private final FolderReplacement folder;
    private final Function<Path, ModelReader> reader;
    private final Map<String, FileChannel> open = new HashMap<>();

    /** {@code reader}: how the written folder is read. */
    HuggingFaceWriting(Path directory, ModelLayout layout, Function<Path, ModelReader> reader) {
        this.layout = layout;
        this.folder = new FolderReplacement(directory);
        this.reader = reader;
    }

    @Override
    public void create() {
        folder.attempt(() -> {
            Path fresh = folder.begin();
            for (var file : layout.files().entrySet()) {
                DurableFile.create(
                        fresh.resolve(file.getKey()),
                        file.getValue().header(),
                        file.getValue().byteSize());
            }
            for (var text : layout.texts().entrySet()) {
                DurableFile.write(fresh.resolve(text.getKey()), text.getValue());
            }
        });
    }

    @Override
    public void write(ParameterPart part, MemorySegment values) {
        FamilyModel.Held held = layout.model().parameters().get(part.path());
        if (held == null || !held.part().shape().equals(part.globalShape())) {
            throw new IllegalArgumentException(
                    "no tensor '" + part.path() + "' of " + part.globalShape() + " is to be written");
        }
        Place place = layout.places().get(held.tensor().name());
        int elementBytes = place.tensor().dtype().byteSize();
        folder.attempt(() -> {
            FileChannel channel = channel(place.file());
            StoredSlices.forEach(
                    held.part(),
                    part,
                    (slice, first) -> slice.forEachRunIn(
                            place.tensor().shape(),
                            (inTensor, inSlice, elements) -> writeRun(
                                    channel,
                                    values.asSlice((first + inSlice) * elementBytes, elements * elementBytes),
                                    place.position() + inTensor * elementBytes)));
        });
    }

    private FileChannel channel(String file) throws IOException {
        FileChannel channel = open.get(file);
        if (channel == null) {
            Path path = folder.fresh().resolve(file);
            try {
                channel = FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            } catch (NoSuchFileException e) {
                throw new StorageException(
                        path
                                + ", which the leading rank has made, is not seen here; choose a folder that all machines share",
                        e);
            }
            open.put(file, channel);
        }
        return channel;
    }

    private static void writeRun(FileChannel channel, MemorySegment values, long position) {
        try {
            DurableFile.writeFully(channel, values, position);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void flush() {
        folder.attempt(() -> {
            for (FileChannel channel : open.values()) {
                channel.force(true);
            }
            closeFiles();
        });
    }

    @Override
    public void commit(Consumer<ModelReader> check) {
        folder.attempt(() -> {
            try (ModelReader written = reader.apply(folder.fresh())) {
                check.accept(written);
            }
            // After the check, which may have added files to the folder.
            DurableFile.syncNames(folder.fresh());
            folder.commit();
        });
    }

    private void closeFiles() throws IOException {
        for (FileChannel channel : open.values()) {
            channel.close();
        }
        open.clear();
    }

    @Override
    public void close() {
        folder.attempt(() -> {
            closeFiles();
            folder.discard();
        });
    }
}
