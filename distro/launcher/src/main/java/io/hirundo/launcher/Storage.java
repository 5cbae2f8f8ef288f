package io.hirundo.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/**
 * The temporary folder of this process, where the framework unpacks its bundles. Each of many concurrent processes has its own.
 *
 * <p>Write access to it would allow running arbitrary code. So it is created for its owner alone and never recreated: the framework,
 * which deletes its own folder at start and creates it with the umask's modes, uses {@link #framework()} inside it. The process holds a
 * lock on a file in it. The kernel releases that lock however the process dies, and {@link Leftovers} of a later start then removes the
 * folder.
 */
final class Storage implements AutoCloseable {
    /** Prefix of each process's folder. */
    static final String PREFIX = "hirundo-process-";

    /** The locked file; contains the host that holds the lock, see {@link #host()}. */
    static final String LOCK = "lock";

    /** A later start may remove a folder between its creation and its locking, each time in less than a millisecond. */
    private static final int ATTEMPTS = 100;

    private static final int PERMISSIONS = 0777;
    private static final int OWNER_ONLY = 0700;

    private final Path folder;
    private final FileChannel lock;
    private final KeptFolders kept = new KeptFolders();

    private Storage(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /** Creates the folder below the folder for temporary files. */
    static Storage create() throws IOException, LaunchException {
        return create(Path.of(System.getProperty("java.io.tmpdir")));
    }

    static Storage create(Path parent) throws IOException, LaunchException {
        Path real = TemporaryParent.require(parent);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                Path folder = Files.createTempDirectory(real, PREFIX);
                FileChannel lock = lock(folder.resolve(LOCK));
                if (lock != null) {
                    return new Storage(requireOwn(folder), lock);
                }
            } catch (NoSuchFileException taken) {
                // Removed by Leftovers of another start, which saw a folder without a locked file: try again.
                continue;
            } catch (IOException e) {
                throw TemporaryParent.unusable(parent, Printed.reason(e), e);
            }
        }
        throw new IOException("the folders made in " + parent + " vanished " + ATTEMPTS + " times");
    }

    /** Null if another process locked or removed the file first. */
    private static FileChannel lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            channel.write(ByteBuffer.wrap(host().getBytes(StandardCharsets.UTF_8)));
            if (locked(channel) && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                return channel;
            }
        } catch (IOException e) {
            channel.close();
            // A full file system: without its content nobody could tell whose the file is. The folder is empty then, as
            // any start removes it.
            Files.deleteIfExists(file);
            throw e;
        }
        channel.close();
        return null;
    }

    private static boolean locked(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (IOException noLocksOnThisFileSystem) {
            // The file system has no locks: then no other process can lock the file either, or remove the folder.
            return true;
        }
    }

    private static Path requireOwn(Path folder) throws IOException, LaunchException {
        if (!isOwn(folder)) {
            throw new LaunchException("the temporary folder " + folder
                    + " is accessible to other users, who could replace the code that runs; set TMPDIR to a folder of your own,"
                    + " on a file system that keeps owners and permissions");
        }
        return folder;
    }

    /** Whether this is a folder, not a link, that only this process's user can enter. */
    static boolean isOwn(Path folder) throws IOException {
        Map<String, Object> found =
                Files.readAttributes(folder, "unix:isDirectory,mode,uid", LinkOption.NOFOLLOW_LINKS);
        return (Boolean) found.get("isDirectory")
                && ((Integer) found.get("mode") & PERMISSIONS) == OWNER_ONLY
                && TrustedPath.isOwner((Integer) found.get("uid"));
    }

    /**
     * Names this machine in two ways, one per line. On a folder shared by several machines, one may not see another's lock, and a
     * container may get a new name at each start.
     */
    static String host() throws IOException {
        Path kernel = Path.of("/proc/sys/kernel");
        if (!Files.exists(kernel)) {
            return "\n\n";
        }
        return Files.readString(kernel.resolve("random/boot_id")).strip() + "\n"
                + Files.readString(kernel.resolve("hostname")).strip() + "\n";
    }

    /** The folder that the framework may delete and recreate. */
    Path framework() {
        return folder.resolve("framework");
    }

    /** For this process's user alone; deleted with the process. */
    Path folder() {
        return folder;
    }

    /** Starts to remove the folders of killed processes. */
    void removeLeftovers() {
        Leftovers.removeNextTo(folder, kept::add);
    }

    /** Deletes what it can. One warning names all that cannot be deleted. */
    @Override
    public void close() {
        try (lock) {
            Deletion.ofProcessFolder(folder);
        } catch (IOException e) {
            kept.add(folder, e);
        }
        kept.line().ifPresent(line -> System.err.println(Printed.text("hirundo: " + line)));
    }
}
