package io.hirundo.lib.files;

import io.hirundo.lib.input.InputFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** A file in a checkpoint's folder which says that training from it diverged. It was complete before, so its manifest cannot say it. */
public final class RuinedMark {
    private static final String FILE = "ruined.txt";
    private static final int LARGEST = 1_000;

    private RuinedMark() {}

    /** Writes it. A checkpoint that is a link to another place is left as it is. */
    public static void write(Path checkpoint, String reason) throws IOException {
        if (Files.isDirectory(checkpoint, LinkOption.NOFOLLOW_LINKS)) {
            AtomicFile.write(checkpoint.resolve(FILE), (reason + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    /** The reason; empty for a checkpoint without a mark. */
    public static Optional<String> read(Path checkpoint) throws IOException {
        try {
            return Optional.of(
                    InputFiles.readString(checkpoint.resolve(FILE), LARGEST).strip());
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }
}
