package io.hirundo.checkpointhf.internal.safetensors;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.checkpointhf.internal.file.Damage;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import io.hirundo.lib.input.MappedFault;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SequencedMap;
import java.util.function.Function;

/** A safetensors file, mapped into memory and checked. Any thread may read. */
public final class SafetensorsFile implements AutoCloseable {
    private static final ValueLayout.OfLong LENGTH = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Path file;
    private final Arena arena;
    private final MemorySegment data;
    private final SequencedMap<String, StoredTensor> tensors;

    private SafetensorsFile(Path file, Arena arena) throws IOException {
        this.file = file;
        this.arena = arena;
        MemorySegment whole = map(file, arena);
        long headerBytes = headerBytes(whole);
        byte[] header =
                whole.asSlice(SafetensorsHeader.LENGTH_BYTES, headerBytes).toArray(ValueLayout.JAVA_BYTE);
        this.data = whole.asSlice(SafetensorsHeader.LENGTH_BYTES + headerBytes);
        this.tensors = SafetensorsHeader.parse(file, header, data.byteSize());
    }

    /**
     * Opens and checks a file; the caller closes it.
     *
     * @throws DataException names the file, and the tensor where one is wrong
     */
    public static SafetensorsFile open(Path file) {
        Arena arena = Arena.ofShared();
        try {
            var open = new SafetensorsFile(file, arena);
            MappedFault.await();
            return open;
        } catch (NoSuchFileException e) {
            arena.close();
            throw new DataException(file + " is missing; fetch it, or give another folder", e);
        } catch (IrregularFileException e) {
            arena.close();
            throw new DataException(Reason.of(e) + "; fetch it, or give another folder", e);
        } catch (IOException e) {
            arena.close();
            throw new DataException(file + " cannot be read: " + Reason.of(e), e);
        } catch (InternalError failure) {
            arena.close();
            throw fault(file, failure);
        } catch (RuntimeException | Error failure) {
            arena.close();
            throw failure;
        }
    }

    private static MemorySegment map(Path file, Arena arena) throws IOException {
        InputFiles.requireRegular(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
        }
    }

    private long headerBytes(MemorySegment whole) {
        if (whole.byteSize() < SafetensorsHeader.LENGTH_BYTES) {
            throw Damage.of(file, "it has " + whole.byteSize() + " bytes, too few for a safetensors header");
        }
        long bytes = whole.get(LENGTH, 0);
        long left = whole.byteSize() - SafetensorsHeader.LENGTH_BYTES;
        if (bytes < 2 || bytes > SafetensorsHeader.MOST_BYTES) {
            throw Damage.of(
                    file,
                    "its header claims " + Long.toUnsignedString(bytes) + " bytes, where 2 to "
                            + SafetensorsHeader.MOST_BYTES + " are possible");
        }
        if (bytes > left) {
            throw Damage.of(file, "its header claims " + bytes + " bytes, but only " + left + " follow");
        }
        return bytes;
    }

    public Path path() {
        return file;
    }

    public SequencedMap<String, StoredTensor> tensors() {
        return tensors;
    }

    /**
     * Reads a tensor.
     *
     * @param reader gets its bytes, for the call only
     * @throws DataException if the file was truncated or its disk fails
     */
    public <T> T read(StoredTensor tensor, Function<MemorySegment, T> reader) {
        try {
            T value = reader.apply(data.asSlice(tensor.begin(), tensor.end() - tensor.begin()));
            MappedFault.await();
            return value;
        } catch (InternalError failure) {
            throw fault(file, failure);
        }
    }

    private static DataException fault(Path file, InternalError failure) {
        return new DataException(MappedFault.explain(file, failure) + "; fetch it again", failure);
    }

    @Override
    public void close() {
        arena.close();
    }
}
