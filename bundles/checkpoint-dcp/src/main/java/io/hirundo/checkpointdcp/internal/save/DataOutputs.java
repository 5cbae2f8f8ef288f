package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The open files of {@link DataFilePaths}. */
final class DataOutputs implements Closeable {
    private final List<FileOperations.Output> own = new ArrayList<>();
    private FileOperations.Output peerCopy;

    static DataOutputs open(DataFilePaths paths, FileOperations files) throws IOException {
        var outputs = new DataOutputs();
        boolean areOpen = false;
        try {
            for (Path path : paths.own()) {
                outputs.own.add(paths.isInMemory() ? files.createInMemory(path) : files.createFile(path));
            }
            if (paths.peerCopy() != null) {
                outputs.peerCopy = files.createInMemory(paths.peerCopy());
            }
            areOpen = true;
            return outputs;
        } finally {
            if (!areOpen) {
                outputs.close();
            }
        }
    }

    void write(Window window) throws IOException {
        if (window.isPeerData()) {
            peerCopy.write(window.bytes().asByteBuffer(), window.begin());
            return;
        }
        for (FileOperations.Output output : own) {
            output.write(window.bytes().asByteBuffer(), window.begin());
        }
    }

    /** Syncs the rank's own data files. */
    void sync() throws IOException {
        for (FileOperations.Output output : own) {
            output.sync();
        }
    }

    @Override
    public void close() throws IOException {
        for (FileOperations.Output output : own) {
            output.close();
        }
        if (peerCopy != null) {
            peerCopy.close();
        }
    }
}
