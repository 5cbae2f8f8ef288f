package io.hirundo.stores3.internal;

import io.hirundo.CheckpointException;
import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.lib.files.Folders;
import io.hirundo.lib.files.RealFolders;
import io.hirundo.lib.store.CopyIndex;
import io.hirundo.lib.store.CopyIndex.CopiedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** A checkpoint's local files: checksums them before an upload, and writes them during a download. */
final class LocalFiles {
    private LocalFiles() {}

    /** Checksums all files of a checkpoint, parts in parallel. */
    static CopyIndex index(CheckpointInfo checkpoint, long partBytes, Parallel parallel) {
        try {
            var files = new ArrayList<CopiedFile>();
            for (Path file : Folders.files(checkpoint.path())) {
                long bytes = Files.size(file);
                var sums = new ArrayList<Callable<Integer>>();
                for (int part = 0; part < CopyIndex.parts(bytes, partBytes); part++) {
                    long offset = part * partBytes;
                    sums.add(() -> new FilePart(file, offset, Math.min(partBytes, bytes - offset)).crc32c());
                }
                String name = Folders.name(checkpoint.path(), file);
                files.add(new CopiedFile(name, bytes, parallel.all(sums)));
            }
            return new CopyIndex(checkpoint.step(), partBytes, files);
        } catch (IOException e) {
            throw new CheckpointException(checkpoint.path() + " cannot be read: " + Reason.of(e), e);
        }
    }

    /**
     * Downloads all files of a copy, parts in parallel, and syncs them.
     *
     * @param keys of the objects
     * @param done receives the number of downloaded bytes
     */
    static void fetch(
            Bucket bucket,
            CopyIndex index,
            Function<CopiedFile, String> keys,
            Path into,
            Parallel parallel,
            LongConsumer done) {
        for (CopiedFile file : index.files()) {
            Path target = into.resolve(file.name());
            try {
                RealFolders.create(into, target.getParent());
                try (FileChannel channel =
                        FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                    var work = new ArrayList<Callable<Void>>();
                    for (int part = 0; part < file.crc32c().size(); part++) {
                        long offset = part * index.partBytes();
                        long bytes = index.bytesOf(file, part);
                        int sum = file.crc32c().get(part);
                        work.add(() -> {
                            RangeFetch.require(
                                    bucket,
                                    keys.apply(file),
                                    offset,
                                    bytes,
                                    sum,
                                    (buffer, length, at) -> write(target, channel, buffer, length, at));
                            done.accept(bytes);
                            return null;
                        });
                    }
                    parallel.all(work);
                    channel.force(true);
                }
            } catch (IOException e) {
                throw unwritable(target, e);
            }
        }
        try {
            Folders.syncAllNames(into);
        } catch (IOException e) {
            throw unwritable(into, e);
        }
    }

    private static void write(Path file, FileChannel channel, byte[] buffer, int length, long at) {
        var bytes = ByteBuffer.wrap(buffer, 0, length);
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes, at + bytes.position());
            }
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    /** A local failure, not one of the copy. */
    private static HirundoException unwritable(Path file, IOException e) {
        return e instanceof ClosedByInterruptException
                ? new StoreException("interrupted", e)
                : new StorageException(
                        file + " cannot be written: " + Reason.of(e) + "; free space or repair its folder", e);
    }
}
