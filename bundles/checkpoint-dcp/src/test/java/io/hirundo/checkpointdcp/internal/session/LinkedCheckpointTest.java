package io.hirundo.checkpointdcp.internal.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.command.ListCommand;
import io.hirundo.checkpointdcp.internal.command.PruneCommand;
import io.hirundo.checkpointdcp.internal.command.VerifyCommand;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.CommandOutput;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.fixture.Way;
import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.memory.NodeMemory;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import io.hirundo.checkpointdcp.internal.store.Retention;
import io.hirundo.testkit.CtrlC;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Symbolic links among a run's checkpoints: what they point to belongs to somebody else. */
@Isolated("sets System.out")
class LinkedCheckpointTest {
    @TempDir
    private Path folder;

    private Path checkpoints;
    private Path archive;

    @BeforeEach
    void save() throws IOException {
        Path run = Files.createDirectory(folder.resolve("run"));
        Files.writeString(run.resolve("config.json"), "{}");
        checkpoints = run.resolve("checkpoints");
        archive = Files.createDirectory(folder.resolve("archive"));
        try (var session = States.open(checkpoints, ThreadWorld.alone(), 9, new DiskOperations())) {
            for (int step = 100; step <= 400; step += 100) {
                session.save(States.state(step, step)).awaitDurable();
            }
        }
    }

    private Path at(long step) {
        return checkpoints.resolve("step-%08d".formatted(step));
    }

    /** Moves a checkpoint to the archive and leaves a link. */
    private void archive(long step) throws IOException {
        Path moved = Files.move(at(step), archive.resolve(at(step).getFileName()));
        Files.createSymbolicLink(at(step), moved);
    }

    private void assertArchived(long step) {
        Path moved = archive.resolve(at(step).getFileName());
        assertTrue(Files.isSymbolicLink(at(step)), "the link stays");
        assertTrue(
                Files.exists(moved.resolve("manifest.json")) && Files.exists(moved.resolve("rank-00000.data")),
                moved + " stays");
    }

    private List<String> prune(int keepLast) {
        return CommandOutput.lines(new PruneCommand(new CtrlC()), folder.resolve("run"), "--keep-last", keepLast);
    }

    @Test
    void pruneKeepsLinkedCheckpointAndItsFiles() throws IOException {
        archive(100);
        List<String> said = prune(1);
        assertArchived(100);
        assertFalse(Files.exists(at(200)));
        assertTrue(Files.exists(at(400)));
        String expected = "step-00000100  left alone, it is a link to " + archive.resolve("step-00000100");
        assertTrue(said.contains(expected), said::toString);
    }

    @Test
    void pruneDoesNotCountLinkedCheckpoints() throws IOException {
        archive(400);
        archive(300);
        prune(1);
        assertArchived(400);
        assertArchived(300);
        assertTrue(Files.exists(at(200)), "the newest of the run's own");
        assertFalse(Files.exists(at(100)));
    }

    @ParameterizedTest
    @EnumSource
    void retentionKeepsLinkedCheckpoints(Way way) throws IOException {
        archive(100);
        archive(300);
        try (var session = way.open(checkpoints, ThreadWorld.alone(), new Retention(2, 0), new DiskOperations())) {
            session.save(States.state(500, 5)).awaitDurable();
            assertEquals(
                    List.of(500L, 400L, 300L, 100L),
                    session.list().stream().map(CheckpointInfo::step).toList());
            States.assertLoads(session, session.list().getLast(), 100);
        }
        assertArchived(100);
        assertArchived(300);
    }

    @Test
    void damagedLinkedCheckpointIsKept() throws IOException {
        archive(200);
        Files.delete(archive.resolve("step-00000200/rank-00000.data"));
        var store = new CheckpointStore(checkpoints, new DiskOperations(), new ManifestText());
        store.discardDamaged(new CheckpointName(400, 0));
        store.discardAll();
        assertTrue(Files.isSymbolicLink(at(200)));
        assertTrue(Files.exists(archive.resolve("step-00000200/manifest.json")));
    }

    @Test
    void listShowsLinkedCheckpoint() throws IOException {
        archive(200);
        String line = CommandOutput.lines(new ListCommand(null, new CtrlC()), folder.resolve("run"))
                .get(3);
        assertTrue(line.endsWith("whole, linked to " + archive.resolve("step-00000200")), line);
        String json = CommandOutput.lines(new ListCommand(null, new CtrlC()), folder.resolve("run"), "--json")
                .get(2);
        assertTrue(json.contains("\"linkedTo\":\"" + archive.resolve("step-00000200") + "\""), json);
    }

    @Test
    void listShowsFilesAndDanglingLinksWithCheckpointNames() throws IOException {
        Files.writeString(at(500), "no folder");
        Files.createSymbolicLink(at(600), folder.resolve("nowhere"));
        List<String> lines = CommandOutput.lines(new ListCommand(null, new CtrlC()), folder.resolve("run"));
        assertEquals(7, lines.size());
        assertTrue(lines.get(1).contains("DAMAGED, linked to "), lines.get(1));
        assertTrue(lines.get(2).contains("DAMAGED: "), lines.get(2));
        try (var session = States.open(checkpoints, ThreadWorld.alone(), 9, new DiskOperations())) {
            assertEquals(6, session.found().size());
        }
    }

    @Test
    void linkedTrashIsNotEmptied() throws IOException {
        Files.writeString(archive.resolve("kept"), "kept");
        Path trash = Files.createSymbolicLink(checkpoints.resolve(".trash-step-00000050-0a"), archive);
        Path begun = Files.createSymbolicLink(checkpoints.resolve("step-00000060.tmp-0b"), archive);
        States.open(checkpoints, ThreadWorld.alone(), 9, new DiskOperations()).close();
        assertFalse(Files.exists(trash, LinkOption.NOFOLLOW_LINKS));
        assertFalse(Files.exists(begun, LinkOption.NOFOLLOW_LINKS));
        assertEquals("kept", Files.readString(archive.resolve("kept")));
    }

    @Test
    void saveIsNotWrittenThroughPlantedLink() throws IOException {
        var disk = new DiskOperations();
        Path planted = Files.createSymbolicLink(checkpoints.resolve("step-00000500.tmp-0a"), archive);
        var store = new CheckpointStore(checkpoints, disk, new ManifestText());
        assertThrows(IOException.class, () -> store.saves().begin(500, "0a", false));
        assertTrue(Files.isSymbolicLink(planted));
        assertEquals(0, entries(archive));
    }

    @Test
    void memoryIsNotSweptThroughLinks() throws IOException {
        Path memory = Files.createDirectory(folder.resolve("memory"));
        var node = new NodeMemory(memory, checkpoints, new DiskOperations());
        Path precious = Files.createDirectories(archive.resolve("rank-00000/0a"));
        Files.writeString(precious.resolve("kept"), "kept");
        Files.createSymbolicLink(node.root(), archive);
        node.sweep(java.util.Set::of);
        assertTrue(Files.exists(precious.resolve("kept")));
        var rejected = assertThrows(IOException.class, () -> node.make(0, "0b"));
        assertTrue(rejected.getMessage().contains("is a symbolic link"), rejected.getMessage());
        Files.delete(node.root());
        node.make(0, "0b");
        Files.createSymbolicLink(node.root().resolve("rank-00000/0c"), precious);
        Files.createSymbolicLink(node.root().resolve("rank-00001"), archive.resolve("rank-00000"));
        node.sweep(java.util.Set::of);
        assertTrue(Files.exists(precious.resolve("kept")));
        assertFalse(Files.exists(node.root(), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void verifyReadsLinkedCheckpoint() throws IOException {
        archive(200);
        assertTrue(CommandOutput.lines(new VerifyCommand(new CtrlC()), at(200))
                .getFirst()
                .startsWith("step-00000200  good"));
        Files.delete(archive.resolve("step-00000200/rank-00000.data"));
        assertThrows(
                CheckpointException.class, () -> new CommandOutput(new VerifyCommand(new CtrlC()), at(200)).exitCode());
    }

    private static long entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.count();
        }
    }
}
