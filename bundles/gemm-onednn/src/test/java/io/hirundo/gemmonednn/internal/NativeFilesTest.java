package io.hirundo.gemmonednn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.HirundoException;
import io.hirundo.StorageException;
import io.hirundo.lib.files.Deletion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Native libraries that are missing, damaged or cannot be unpacked: each has a reason, and a device multiplies by the Vector API. */
class NativeFilesTest {
    @TempDir
    private Path folder;

    @Test
    void saysForWhichMachinesThereIsALibrary() {
        String architecture = System.getProperty("os.arch");
        System.setProperty("os.arch", "riscv64");
        try {
            assertRejected(folder, "there is no oneDNN for linux-riscv64 in this bundle, only for linux-x86_64");
        } finally {
            System.setProperty("os.arch", architecture);
        }
    }

    @Test
    void namesTheFolderOfDamagedFiles() throws IOException {
        requireLibrary();
        Path unpacked = Files.createDirectories(NativeFiles.folder(folder));
        // In the order of opening: a library that is open is not read again.
        for (String name : List.of("libgomp.so.1", "libdnnl.so.3")) {
            Path library = unpacked.resolve(name);
            // A file of another size would be replaced.
            Files.write(
                    library,
                    new byte[NativeFiles.resource(name).openConnection().getContentLength()]);
            assertRejected(folder, ", delete " + unpacked + " if it is damaged, or set HIRUNDO_CACHE");
            Files.writeString(library, "truncated");
        }
        Deletion.delete(unpacked);
        assertTrue(new OneDnn(new NativeFiles(folder)).description().startsWith("oneDNN 3."), "as the message advises");
    }

    @Test
    void saysThatTheCacheCannotBeWritten() throws IOException {
        requireLibrary();
        Path file = Files.writeString(folder.resolve("file"), "in the way of a folder");
        String reason = assertRejected(file, "cannot unpack oneDNN to " + file);
        assertTrue(
                reason.endsWith("make room or fix permissions there, or set HIRUNDO_CACHE to another folder"), reason);
        assertEquals(
                StorageException.class,
                assertThrows(HirundoException.class, () -> new NativeFiles(file).load())
                        .getClass());
    }

    private static void requireLibrary() {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "the bundle has no oneDNN for this architecture");
    }

    private static String assertRejected(Path cache, String part) {
        var library = new OneDnn(new NativeFiles(cache));
        String reason =
                assertThrows(HirundoException.class, library::description).getMessage();
        assertTrue(reason.contains(part), reason);
        LibraryTest.assertLeavesGemmsToTheVectorApi(library, reason);
        return reason;
    }
}
