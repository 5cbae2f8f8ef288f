package io.hirundo.control.internal.terminal;

import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.output.OutputChannels;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history of a run's prompts: {@code prompt-history} in its directory, readable by its owner only. When full, it drops its
 * older half. If the file cannot be read or written, the history stays in memory and the log gets one warning.
 */
final class PromptHistory {
    static final String FILE = "prompt-history";
    static final int MAX_BYTES = 1 << 20;

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Logger LOG = LoggerFactory.getLogger(PromptHistory.class);

    private final Path file;
    private boolean kept = true;

    PromptHistory(Path directory) {
        this.file = directory.resolve(FILE);
    }

    /** Oldest first. */
    List<String> lines() {
        try {
            return InputFiles.readString(file, MAX_BYTES)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
        } catch (NoSuchFileException first) {
            return List.of();
        } catch (IOException failure) {
            forget(failure);
            return List.of();
        }
    }

    /** Several prompts may append concurrently; lines appended while another prompt drops the oldest may be lost. */
    void add(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        if (!kept || bytes.length > MAX_BYTES / 2) {
            return;
        }
        try {
            try (FileChannel channel = OutputChannels.append(file, OWNER_ONLY)) {
                restrict();
                if (channel.size() + bytes.length <= MAX_BYTES) {
                    for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining(); ) {
                        channel.write(rest);
                    }
                    return;
                }
            }
            replaceByNewerHalf(bytes);
        } catch (IOException failure) {
            forget(failure);
        }
    }

    /** The file may have been created by others, or by an earlier version of Hirundo that left it readable. */
    private void restrict() throws IOException {
        var view = Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        if (!view.readAttributes().permissions().equals(OWNER_ONLY.value())) {
            view.setPermissions(OWNER_ONLY.value());
        }
    }

    private void replaceByNewerHalf(byte[] last) throws IOException {
        byte[] all = InputFiles.readAllBytes(file, MAX_BYTES);
        int start = all.length / 2;
        while (start < all.length && all[start - 1] != '\n') {
            start++;
        }
        int newer = start;
        AtomicFile.write(
                file,
                out -> {
                    out.write(all, newer, all.length - newer);
                    out.write(last);
                },
                OWNER_ONLY);
    }

    private void forget(IOException failure) {
        kept = false;
        LOG.warn("cannot save the prompt's history: {}", OutputFiles.explain(file, failure));
    }
}
