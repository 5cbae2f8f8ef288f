package io.hirundo.lib.files;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that is unpacked from a bundle once and then used by all processes of this user, a native library for instance. */
public final class CachedResource {
    private CachedResource() {}

    /**
     * Unpacks, unless the file exists and is complete: it has the size of the resource or, where that is unknown, its contents. A complete
     * file can be on a read-only file system. Atomic: other processes may do the same at the same time. Missing folders are created for
     * this user only, so that nobody else can replace the file.
     *
     * @param file in a folder whose name says the version: contents of the right size are taken as they are
     * @param packed the resource, such as {@link Class#getResource} returns
     * @throws IOException if it cannot be written; an incomplete file of an earlier process may remain
     */
    public static void unpack(Path file, URL packed) throws IOException {
        if (isComplete(file, packed)) {
            return;
        }
        Folders.createPrivate(file.getParent());
        try (InputStream in = packed.openStream()) {
            AtomicFile.writeShared(file, in::transferTo);
        }
    }

    private static boolean isComplete(Path file, URL packed) throws IOException {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        URLConnection connection = packed.openConnection();
        try (InputStream in = connection.getInputStream()) {
            long bytes = Files.size(file);
            // The length first: some connections report what is left to read.
            return bytes == connection.getContentLengthLong() || hasContents(file, in);
        }
    }

    private static boolean hasContents(Path file, InputStream expected) throws IOException {
        if (!Files.isReadable(file)) {
            return false;
        }
        try (var wanted = new BufferedInputStream(expected);
                var present = new BufferedInputStream(Files.newInputStream(file))) {
            int next;
            do {
                next = wanted.read();
                if (next != present.read()) {
                    return false;
                }
            } while (next >= 0);
            return true;
        }
    }
}
