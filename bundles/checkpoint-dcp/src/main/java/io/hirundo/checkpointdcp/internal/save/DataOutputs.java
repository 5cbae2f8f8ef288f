package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The data files of a {@link Placement}, open. */
final class DataOutputs implements Closeable {
    private final List<FileOperations.Output> own = new ArrayList<>();
    private FileOperations.Output received;

    static DataOutputs open(Placement placement, FileOperations files) throws IOException {
        var outputs = new DataOutputs();
        boolean areOpen = false;
        try {
            for (Path path : placement.own()) {
                outputs.own.add(placement.isInMemory() ? files.createInMemory(path) : files.createFile(path));
            }
            if (placement.received() != null) {
                outputs.received = files.createInMemory(placement.received());
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
        if (window.isReceived()) {
            received.write(window.bytes().asByteBuffer(), window.begin());
            return;
        }
        for (FileOperations.Output output : own) {
            output.write(window.bytes().asByteBuffer(), window.begin());
        }
    }

    /** Of the rank's own. */
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
        if (received != null) {
            received.close();
        }
    }
}
