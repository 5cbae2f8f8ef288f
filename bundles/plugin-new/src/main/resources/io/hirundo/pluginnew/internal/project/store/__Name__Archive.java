package __package__;

import io.hirundo.CheckpointException;
import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * A checkpoint as one zip file, not compressed, because weights hardly shrink. An IOException is a failure of the archive; failures to
 * read a checkpoint, or to write a fetched one, are exceptions of io.hirundo. Channels end with an exception when the thread is
 * interrupted.
 */
final class __Name__Archive {
    private static final int BUFFER_BYTES = 1 << 16;

    /** The earliest time of the format, so that equal checkpoints make equal archives. */
    private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

    private __Name__Archive() {}

    /** Returns the number of bytes read, negative at the end. */
    private interface Source {
        int read(byte[] into) throws IOException;
    }

    private interface Sink {
        void write(byte[] bytes, int count) throws IOException;
    }

    static void write(CheckpointInfo checkpoint, Path archive, LongConsumer done) throws IOException {
        List<__Name__Index.Stored> files = new ArrayList<>();
        try (FileChannel channel = FileChannel.open(archive, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                ZipOutputStream zip = new ZipOutputStream(
                        new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES))) {
            zip.setLevel(Deflater.NO_COMPRESSION);
            long before = 0;
            for (Path file : files(checkpoint.path())) {
                ZipEntry entry = new ZipEntry(
                        checkpoint.path().relativize(file).toString().replace('\\', '/'));
                entry.setTimeLocal(NO_TIME);
                zip.putNextEntry(entry);
                long earlier = before;
                files.add(add(file, entry.getName(), zip, bytes -> done.accept(earlier + bytes)));
                zip.closeEntry();
                before += files.getLast().bytes();
            }
            zip.setComment(new __Name__Index(checkpoint.step(), files).comment());
            zip.finish();
            zip.flush();
            channel.force(true);
        }
    }

    private static __Name__Index.Stored add(Path file, String name, ZipOutputStream zip, LongConsumer done)
            throws IOException {
        try (FileChannel channel = open(file)) {
            Source source = into -> {
                try {
                    return channel.read(ByteBuffer.wrap(into));
                } catch (IOException e) {
                    throw unreadable(file, e);
                }
            };
            return copy(name, source, (bytes, count) -> zip.write(bytes, 0, count), done);
        }
    }

    private static FileChannel open(Path file) {
        try {
            return FileChannel.open(file);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static List<Path> files(Path folder) {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(Files::isRegularFile).sorted().toList();
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    private static __Name__Index.Stored copy(String name, Source from, Sink to, LongConsumer done) throws IOException {
        var crc = new CRC32();
        byte[] buffer = new byte[BUFFER_BYTES];
        long bytes = 0;
        for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
            to.write(buffer, count);
            crc.update(buffer, 0, count);
            bytes += count;
            done.accept(bytes);
        }
        return new __Name__Index.Stored(name, bytes, crc.getValue());
    }

    static __Name__Index index(Path archive) throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            return __Name__Index.of(zip);
        }
    }

    /** Reads everything and compares checksums. */
    static void verify(Path archive) throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            for (__Name__Index.Stored file : __Name__Index.of(zip).files()) {
                read(zip, file, (bytes, count) -> {}, done -> {});
            }
        }
    }

    /** Fetches all files into an empty folder, and syncs them. */
    static void extract(Path archive, Path into, LongConsumer done) throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            long before = 0;
            for (__Name__Index.Stored file : __Name__Index.of(zip).files()) {
                long earlier = before;
                extract(zip, file, target(file, into), bytes -> done.accept(earlier + bytes));
                before += file.bytes();
            }
        }
        try (Stream<Path> paths = Files.walk(into)) {
            for (Path folder : (Iterable<Path>) paths.filter(Files::isDirectory)::iterator) {
                try (FileChannel channel = FileChannel.open(folder)) {
                    force(channel, folder);
                }
            }
        } catch (IOException e) {
            throw unwritable(into, e);
        }
    }

    private static void extract(ZipFile zip, __Name__Index.Stored file, Path target, LongConsumer done)
            throws IOException {
        try (FileChannel channel = create(target)) {
            Sink sink = (bytes, count) -> {
                try {
                    ByteBuffer rest = ByteBuffer.wrap(bytes, 0, count);
                    while (rest.hasRemaining()) {
                        channel.write(rest);
                    }
                } catch (IOException e) {
                    throw unwritable(target, e);
                }
            };
            read(zip, file, sink, done);
            force(channel, target);
        }
    }

    private static FileChannel create(Path file) {
        try {
            Files.createDirectories(file.getParent());
            return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    private static void force(FileChannel channel, Path file) {
        try {
            channel.force(true);
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    private static void read(ZipFile zip, __Name__Index.Stored file, Sink to, LongConsumer done) throws IOException {
        try (InputStream in = zip.getInputStream(zip.getEntry(file.name()))) {
            if (!copy(file.name(), in::read, to, done).equals(file)) {
                throw new ZipException("the checksum of " + file.name() + " is wrong");
            }
        }
    }

    /** An archive may be forged: no file of it may be outside of the folder. */
    private static Path target(__Name__Index.Stored file, Path into) throws ZipException {
        try {
            Path root = into.toAbsolutePath().normalize();
            Path target = root.resolve(file.name()).normalize();
            if (target.startsWith(root) && !target.equals(root)) {
                return target;
            }
        } catch (InvalidPathException e) {
            throw new ZipException("'" + file.name() + "' is not a valid file name");
        }
        throw new ZipException("'" + file.name() + "' is outside of the folder");
    }

    private static HirundoException unreadable(Path file, IOException e) {
        return e instanceof ClosedByInterruptException
                ? new StoreException("interrupted", e)
                : new CheckpointException(file + " cannot be read: " + Reason.of(e) + "; repair its disk", e);
    }

    private static HirundoException unwritable(Path file, IOException e) {
        return e instanceof ClosedByInterruptException
                ? new StoreException("interrupted", e)
                : new StorageException(
                        file + " cannot be written: " + Reason.of(e) + "; free space or fix its permissions", e);
    }
}
