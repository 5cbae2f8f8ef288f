package io.hirundo.dataloader.internal.indexed;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.command.ShellLine;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import io.hirundo.lib.input.MappedFault;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Memory-mapped files of a dataset. */
final class MappedFiles {
    private MappedFiles() {}

    /** Maps a file of any size for reading, as long as the arena lives. Callers turn an {@link InternalError} of a read into {@link #fault}. */
    static MemorySegment map(Path file, Arena arena) {
        try {
            InputFiles.requireRegular(file);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                return channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
            }
        } catch (IrregularFileException e) {
            throw new DataException(Reason.of(e) + " of a dataset", e);
        } catch (NoSuchFileException e) {
            throw new DataException(missing(file), e);
        } catch (IOException e) {
            throw new DataException("cannot read " + file + ": " + Reason.of(e), e);
        }
    }

    /** What a failed read of a mapped file means. */
    static DataException fault(Path file, InternalError failure) {
        return new DataException(MappedFault.explain(file, failure) + "; copy or make the dataset again", failure);
    }

    private static String missing(Path file) {
        String name = file.getFileName().toString();
        String doubled = name.replaceFirst("\\.(bin|idx)\\.(bin|idx)$", "");
        return doubled.equals(name)
                ? "there is no " + file + "; a dataset is named by what its .bin and .idx have in common, and made by "
                        + ShellLine.of("data", "tokenize")
                : "there is no " + file + "; give the prefix " + doubled + ", without .bin or .idx";
    }
}
