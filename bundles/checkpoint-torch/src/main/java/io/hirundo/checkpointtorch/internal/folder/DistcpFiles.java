package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.MappedFault;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/** The files of a folder, memory-mapped on first use. One thread opens; any may read. */
final class DistcpFiles implements AutoCloseable {
    private final Path folder;
    private final Arena arena = Arena.ofShared();
    private final Map<String, MemorySegment> files = new HashMap<>();

    DistcpFiles(Path folder) {
        this.folder = folder;
    }

    /** The bytes of an item, valid until this closes; {@code what}: contents, for messages. */
    MemorySegment bytes(DcpItem item, String what) {
        Path file = folder.resolve(item.file());
        if (!item.transforms().isEmpty()) {
            throw new DataException(file + ": " + what + " is stored through '" + Excerpt.of(item.transforms())
                    + "', which is not read; save it without extensions of the storage writer");
        }
        MemorySegment whole = files.computeIfAbsent(item.file(), _ -> map(file, what));
        if (item.offset() > whole.byteSize() || item.length() > whole.byteSize() - item.offset()) {
            throw new DataException(file + " has " + whole.byteSize() + " bytes, but " + what + " should be "
                    + item.length() + " bytes at " + item.offset() + "; it is damaged: fetch it again");
        }
        return whole.asSlice(item.offset(), item.length());
    }

    private MemorySegment map(Path file, String what) {
        try {
            InputFiles.requireRegular(file);
        } catch (NoSuchFileException e) {
            throw missing(file, what, e);
        } catch (IOException e) {
            throw new DataException(Reason.of(e) + "; fetch the files of all ranks", e);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
        } catch (NoSuchFileException e) {
            throw missing(file, what, e);
        } catch (IOException e) {
            throw new DataException(file + " cannot be read: " + Reason.of(e), e);
        }
    }

    /** Explains a failed read of a mapped file. */
    static DataException fault(Path file, InternalError failure) {
        return new DataException(MappedFault.explain(file, failure) + "; fetch it again", failure);
    }

    private static DataException missing(Path file, String what, NoSuchFileException e) {
        return new DataException(file + " is missing, which holds " + what + "; fetch the files of all ranks", e);
    }

    @Override
    public void close() {
        arena.close();
    }
}
