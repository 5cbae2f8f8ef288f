package io.hirundo.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The temporary folder of a process, and what is left of it when the process is killed. */
class StorageTest {
    @TempDir
    private Path parent;

    @Test
    void isAccessibleToItsUserOnly() throws Exception {
        try (Storage storage = Storage.create(parent)) {
            assertEquals("rwx------", mode(storage.folder()));
            assertTrue(storage.framework().startsWith(storage.folder())
                    && !storage.framework().equals(storage.folder()));
        }
        assertEquals(List.of(), entries());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwxrwx", "rwxrwx---"})
    void rejectsAParentWhereOthersCanReplaceIt(String permissions) throws Exception {
        Path open = Files.createDirectory(parent.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString(permissions));

        LaunchException rejected = assertThrows(LaunchException.class, () -> Storage.create(open));

        assertEquals(LaunchException.CONFIGURATION, rejected.exitCode());
        assertTrue(
                rejected.getMessage().contains("not sticky")
                        && rejected.getMessage().contains("chmod +t " + open),
                rejected::getMessage);
        Files.setAttribute(open, "unix:mode", 01777);
        Storage.create(open).close();
    }

    @Test
    void rejectsAParentOfAnotherUser() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a folder to another user");
        Path others = Files.createDirectory(parent.resolve("others"));
        Files.setAttribute(others, "unix:mode", 01777);
        Files.setAttribute(others, "unix:uid", 65534);

        LaunchException rejected = assertThrows(LaunchException.class, () -> Storage.create(others));

        assertEquals(LaunchException.CONFIGURATION, rejected.exitCode());
        assertTrue(rejected.getMessage().contains(others + ", belongs to another user"), rejected::getMessage);
        Files.setAttribute(others, "unix:uid", 0);
        Storage.create(others).close();
    }

    /** Whoever may rename what is above the folder can put another in its place. */
    @ParameterizedTest
    @ValueSource(strings = {"open/sub", "link"})
    void rejectsAParentBelowAFolderWhereOthersCanReplaceIt(String below) throws Exception {
        Path open = Files.createDirectory(parent.resolve("open"));
        Path sub = Files.createDirectory(open.resolve("sub"));
        Files.createSymbolicLink(parent.resolve("link"), sub);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));

        LaunchException rejected = assertThrows(LaunchException.class, () -> Storage.create(parent.resolve(below)));

        assertEquals(LaunchException.CONFIGURATION, rejected.exitCode());
        assertTrue(
                rejected.getMessage().contains(sub + ", is below " + open + ", which is writable for other users"),
                rejected::getMessage);
        Files.setAttribute(open, "unix:mode", 01777);
        try (Storage storage = Storage.create(parent.resolve(below))) {
            // Not through the link, which may point elsewhere a moment later.
            assertEquals(sub, storage.folder().getParent());
        }
    }

    @Test
    void rejectsAParentBelowAFolderOfAnotherUser() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a folder to another user");
        Path others = Files.createDirectory(parent.resolve("others"));
        Path sub = Files.createDirectory(others.resolve("sub"));
        Files.setAttribute(others, "unix:uid", 12345);

        LaunchException rejected = assertThrows(LaunchException.class, () -> Storage.create(sub));

        assertTrue(
                rejected.getMessage().contains("is below " + others + ", which belongs to another user"),
                rejected::getMessage);
    }

    /** Podman without privileges maps 65,536 users: 65534 is one of them, and the number of those that it does not map. */
    @Test
    void aUserThatTheContainerMapsIsNotUnmapped() {
        List<String> ranges = List.of("         0       1000          1", "         1     100000      65536");
        assertTrue(TrustedPath.isMapped(0, ranges));
        assertTrue(TrustedPath.isMapped(65534, ranges));
        assertFalse(TrustedPath.isMapped(65537, ranges));
        assertFalse(TrustedPath.isMapped(65534, ranges.subList(0, 1)));
    }

    @Test
    void namesTheRemedyIfTheParentIsAFile() throws Exception {
        Path file = Files.createFile(parent.resolve("file"));

        LaunchException rejected = assertThrows(LaunchException.class, () -> Storage.create(file));

        assertTrue(
                rejected.getMessage().contains(file + ", cannot be used (not a folder); set TMPDIR"),
                rejected::getMessage);
    }

    /** A lock file that cannot be opened (here because it is a program that runs) is in the first folder of many. */
    @Test
    void continuesAfterAFolderThatCannotBeRemoved() throws Exception {
        Path program = Files.copy(
                Path.of("/bin/sleep"), privateFolder("a").resolve(Storage.LOCK), StandardCopyOption.COPY_ATTRIBUTES);
        Process running = new ProcessBuilder(program.toString(), "600").start();
        try {
            // In whichever order the file system lists them, some come after it.
            for (int i = 0; i < 20; i++) {
                privateFolder("empty-" + i);
            }
            try (JavaProcess next = holder()) {
                next.nextLine();
                for (int i = 0; i < 20; i++) {
                    awaitGone(parent.resolve(Storage.PREFIX + "empty-" + i));
                }
                assertTrue(Files.exists(program));
            }
        } finally {
            running.destroyForcibly().waitFor();
        }
    }

    @Test
    void removesAFolderWhoseLockFileWasNeverWrittenWhenItIsOld() throws Exception {
        Path old = Files.createFile(privateFolder("old").resolve(Storage.LOCK));
        Path oldWithMore = Files.createFile(privateFolder("old-with-more").resolve(Storage.LOCK));
        Path more = Files.createFile(oldWithMore.resolveSibling("work"));
        Path fresh = Files.createFile(privateFolder("fresh").resolve(Storage.LOCK));
        for (Path lock : List.of(old, oldWithMore)) {
            Files.setLastModifiedTime(lock, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        }
        try (JavaProcess next = holder()) {
            next.nextLine();
            awaitGone(old.getParent());
            // The sweep is over when what another start finds is gone, too.
            Path last = privateFolder("empty");
            try (JavaProcess afterIt = holder()) {
                afterIt.nextLine();
                awaitGone(last);
            }
            assertTrue(Files.exists(fresh));
            assertTrue(Files.exists(more));
        }
    }

    @Test
    void rejectsAMissingParent() {
        LaunchException rejected = assertThrows(LaunchException.class, () -> Storage.create(parent.resolve("none")));
        assertTrue(
                rejected.getMessage().endsWith("set TMPDIR to a folder that exists, is writable and has room"),
                rejected::getMessage);
    }

    @Test
    void folderOfAnotherModeOrALinkIsNotOwn() throws Exception {
        Path folder = Files.createDirectory(parent.resolve("folder"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x---"));
        assertFalse(Storage.isOwn(folder));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        assertTrue(Storage.isOwn(folder));
        assertFalse(Storage.isOwn(Files.createSymbolicLink(parent.resolve("link"), folder)));
        assertFalse(Storage.isOwn(Files.createFile(parent.resolve("file"))));
    }

    @Test
    void nextStartRemovesOnlyFoldersOfKilledProcesses() throws Exception {
        Path treasure = Files.createFile(
                Files.createDirectory(parent.resolve("treasure")).resolve("kept"));
        List<Path> foreign = foreignEntries(treasure.getParent());
        try (JavaProcess living = holder()) {
            Path ofLiving = Path.of(living.nextLine());
            Path ofKilled;
            try (JavaProcess killed = holder()) {
                ofKilled = Path.of(killed.nextLine());
            }
            awaitEnd(ofKilled);
            // What it held: a link out of the folder among it.
            Files.createSymbolicLink(ofKilled.resolve("framework").resolve("link"), treasure.getParent());

            Path ofNext;
            try (JavaProcess next = holder()) {
                ofNext = Path.of(next.nextLine());
                awaitGone(ofKilled);
                awaitGone(parent.resolve(Storage.PREFIX + "empty"));
                assertTrue(Files.exists(ofLiving.resolve("framework").resolve("bundle")));
                assertTrue(Files.exists(ofNext.resolve("framework").resolve("bundle")));
                for (Path entry : foreign) {
                    assertTrue(Files.exists(entry, LinkOption.NOFOLLOW_LINKS), entry::toString);
                }
                assertTrue(Files.exists(treasure));
            }
        }
    }

    /** Named as folders of ours are, and not to be touched; and one that is, an empty one. */
    private List<Path> foreignEntries(Path treasure) throws IOException {
        Path link = Files.createSymbolicLink(parent.resolve(Storage.PREFIX + "link"), treasure);
        Path file = Files.createFile(parent.resolve(Storage.PREFIX + "file"));
        Path others = privateFolder("others");
        Files.createFile(others.resolve("work"));
        Path open = privateFolder("open");
        Files.writeString(open.resolve(Storage.LOCK), Storage.host());
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path linked = privateFolder("linked-lock");
        Files.writeString(treasure.resolve("their-lock"), Storage.host());
        Files.createSymbolicLink(linked.resolve(Storage.LOCK), treasure.resolve("their-lock"));
        Path elsewhere = privateFolder("other-machine");
        Files.writeString(elsewhere.resolve(Storage.LOCK), "another-boot\nanother-host\n");
        privateFolder("empty");
        return List.of(link, file, others.resolve("work"), open, linked, treasure.resolve("their-lock"), elsewhere);
    }

    private Path privateFolder(String name) throws IOException {
        return Files.createDirectory(
                parent.resolve(Storage.PREFIX + name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private JavaProcess holder() throws IOException {
        return JavaProcess.start(List.of(), List.of("-Djava.io.tmpdir=" + parent), Holder.class);
    }

    /** Until the kernel has freed what the killed process held. */
    private static void awaitEnd(Path folder) throws Exception {
        try (var lock = java.nio.channels.FileChannel.open(
                folder.resolve(Storage.LOCK), java.nio.file.StandardOpenOption.WRITE)) {
            lock.lock();
        }
    }

    private static void awaitGone(Path path) throws InterruptedException {
        for (int look = 0; Files.exists(path); look++) {
            assertTrue(look < 3000, () -> path + " is still there");
            Thread.sleep(10);
        }
    }

    private List<Path> entries() throws IOException {
        try (Stream<Path> entries = Files.list(parent)) {
            return entries.toList();
        }
    }

    private static String mode(Path folder) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder));
    }

    /** Has a folder until it is killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws Exception {
            Storage storage = Storage.create();
            Files.createFile(Files.createDirectory(storage.framework()).resolve("bundle"));
            storage.removeLeftovers();
            System.out.println(storage.folder());
            new CountDownLatch(1).await();
        }
    }
}
