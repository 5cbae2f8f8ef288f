package io.hirundo.storefolder.internal;

import io.hirundo.HirundoException;
import io.hirundo.lib.files.DurableFile;
import io.hirundo.lib.files.RealFolders;
import io.hirundo.lib.output.OutputChannels;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Function;

/** A file written during a copy; tells write failures from read failures. */
final class Target extends OutputStream {
    private final FileChannel channel;
    private final Function<IOException, HirundoException> failure;

    /** Creates the file and the folders between it and {@code root}, none through a link. */
    Target(Path root, Path file, Function<IOException, HirundoException> failure) {
        this.failure = failure;
        try {
            RealFolders.create(root, file.getParent());
            this.channel = OutputChannels.write(file, StandardOpenOption.TRUNCATE_EXISTING);
        } catch (IOException e) {
            throw failure.apply(e);
        }
    }

    @Override
    public void write(int one) {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int at, int length) {
        try {
            DurableFile.writeFully(channel, ByteBuffer.wrap(bytes, at, length));
        } catch (IOException e) {
            throw failure.apply(e);
        }
    }

    void sync() {
        try {
            channel.force(true);
        } catch (IOException e) {
            throw failure.apply(e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw failure.apply(e);
        }
    }
}
