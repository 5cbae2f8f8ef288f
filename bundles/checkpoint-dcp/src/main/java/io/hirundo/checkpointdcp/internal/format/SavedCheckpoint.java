package io.hirundo.checkpointdcp.internal.format;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** A checkpoint whose manifest is sound and whose files, where they are on storage, are as long as it says. */
public record SavedCheckpoint(CheckpointName name, Path folder, Manifest manifest) {
    /**
     * Reads and checks the manifest and the lengths of the files, not their contents.
     *
     * @param text how manifests are spelled
     * @throws CheckpointException when it is not whole; names the file
     */
    public static SavedCheckpoint open(Path folder, ManifestText text) {
        Path file = folder.resolve(Manifest.FILE);
        CheckpointName name = CheckpointName.of(folder)
                .orElseThrow(
                        () -> new CheckpointException(folder + " is not the folder of a checkpoint: step-NNNNNNNN"));
        try {
            Manifest manifest = text.read(file);
            ManifestCheck.check(manifest, file.toString());
            if (manifest.step() != name.step()) {
                throw new CheckpointException(
                        file + " is of step " + manifest.step() + ": it belongs to another folder");
            }
            for (DataFile data : manifest.files()) {
                if (data.places().isEmpty()) {
                    checkLength(folder.resolve(data.name()), data.bytes());
                }
            }
            return new SavedCheckpoint(name, folder, manifest);
        } catch (NoSuchFileException e) {
            throw new CheckpointException(e.getFile() + " is missing", e);
        } catch (IrregularFileException | FileTooLargeException e) {
            throw new CheckpointException(Reason.of(e), e);
        } catch (IOException e) {
            throw new CheckpointException(file + " cannot be read: " + Reason.of(e), e);
        }
    }

    private static void checkLength(Path file, long bytes) throws IOException {
        InputFiles.requireRegular(file);
        long found = Files.size(file);
        if (found != bytes) {
            throw new CheckpointException(file + " has " + found + " bytes, but the manifest says " + bytes);
        }
    }

    public CheckpointInfo info() throws IOException {
        long bytes = manifest.dataBytes() + Files.size(folder.resolve(Manifest.FILE));
        return new CheckpointInfo(folder, manifest.step(), bytes, isInMemory());
    }

    /** Whether the run has only a link to it. */
    public boolean isLinked() {
        return Files.isSymbolicLink(folder);
    }

    /** Whether the data files are in the memory of nodes. */
    public boolean isInMemory() {
        return manifest.files().stream().anyMatch(file -> !file.places().isEmpty());
    }

    /**
     * Where a data file is on this node.
     *
     * @param index into the manifest's files
     * @throws CheckpointException when it is on none of its places here
     */
    public Path data(int index) {
        DataFile file = manifest.files().get(index);
        if (file.places().isEmpty()) {
            return folder.resolve(file.name());
        }
        return file.places().stream()
                .map(Path::of)
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new CheckpointException(
                        folder + ": " + file.name() + " is not in the memory of this node: " + file.places()));
    }

    /** The same, with files elsewhere. */
    public SavedCheckpoint withFiles(List<DataFile> files) {
        return new SavedCheckpoint(
                name,
                folder,
                new Manifest(
                        manifest.header(),
                        manifest.step(),
                        manifest.chunkBytes(),
                        manifest.values(),
                        files,
                        manifest.tensors()));
    }
}
