package io.hirundo.control.internal.socket;

import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.lib.files.Deletion;
import io.hirundo.lib.files.TemporaryFolders;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * {@code control.sock} of a run directory. Created in a private folder, then moved into place with the right permissions, so
 * that no other user can connect at any moment. If the run directory's path is too long for a socket, the socket gets a folder of
 * its own below the temporary folder, and {@code control.sock} is a symbolic link to it.
 */
public final class SocketFile implements AutoCloseable {
    private static final String NAME = "control.sock";

    /** The kernel limits a socket address to 108 bytes, including the terminating zero. */
    private static final int LONGEST_ADDRESS = 107;

    private final ServerSocketChannel channel;
    private final Path place;

    /** The folder of a linked socket; null if {@link #place} is the socket. */
    private final Path shortFolder;

    private SocketFile(ServerSocketChannel channel, Path place, Path shortFolder) {
        this.channel = channel;
        this.place = place;
        this.shortFolder = shortFolder;
    }

    /**
     * Opens the socket. Replaces a leftover of an earlier run: a directory belongs to one run at a time.
     *
     * @param directory of the run, absolute
     */
    static SocketFile open(Path directory) throws IOException {
        Path place = directory.resolve(NAME);
        return fits(place) ? inPlace(directory, place) : linked(directory, place);
    }

    private static boolean fits(Path place) {
        return place.toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST_ADDRESS;
    }

    private static SocketFile inPlace(Path directory, Path place) throws IOException {
        Path closed = directory.resolve(".control");
        Path socket = closed.resolve("s");
        // A leftover of a killed process, or a planted link: delete the link, never its target.
        Deletion.delete(closed);
        Files.createDirectory(
                closed, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        ServerSocketChannel channel = bind(socket);
        try {
            Files.move(socket, place, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            channel.close();
            throw failure;
        } finally {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(closed);
        }
        return new SocketFile(channel, place, null);
    }

    private static SocketFile linked(Path directory, Path place) throws IOException {
        Path folder = TemporaryFolders.create("control-");
        Path socket = folder.resolve("s");
        if (!fits(socket)) {
            Files.delete(folder);
            throw new IOException("the paths " + place + " and " + socket
                    + " are too long for a socket; give a shorter run.directory or TMPDIR");
        }
        ServerSocketChannel channel = bind(socket);
        try {
            Path link = directory.resolve(".control.link");
            Files.deleteIfExists(link);
            Files.createSymbolicLink(link, socket);
            Files.move(link, place, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            channel.close();
            for (Path made : List.of(directory.resolve(".control.link"), socket, folder)) {
                Files.deleteIfExists(made);
            }
            throw failure;
        }
        return new SocketFile(channel, place, folder);
    }

    private static ServerSocketChannel bind(Path socket) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
            return channel;
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    /**
     * The socket address of the run in a directory.
     *
     * @throws ConfigurationException if there is none: no training is running there
     */
    public static UnixDomainSocketAddress addressIn(Path directory) {
        Path place = directory.toAbsolutePath().normalize().resolve(NAME);
        try {
            return UnixDomainSocketAddress.of(Files.isSymbolicLink(place) ? Files.readSymbolicLink(place) : place);
        } catch (IOException failure) {
            throw new ConfigurationException("cannot read " + place + ": " + Reason.of(failure), failure);
        }
    }

    ServerSocketChannel channel() {
        return channel;
    }

    Path place() {
        return place;
    }

    /** Closes the socket and deletes its files. */
    @Override
    public void close() throws IOException {
        try (channel) {
            Files.deleteIfExists(place);
        } finally {
            if (shortFolder != null) {
                Files.deleteIfExists(shortFolder.resolve("s"));
                Files.deleteIfExists(shortFolder);
            }
        }
    }
}
