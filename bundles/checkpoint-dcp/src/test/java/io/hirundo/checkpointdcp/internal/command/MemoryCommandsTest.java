package io.hirundo.checkpointdcp.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.CommandOutput;
import io.hirundo.checkpointdcp.internal.fixture.Nodes;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.memory.MemoryPrune;
import io.hirundo.testkit.CtrlC;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Commands on a checkpoint in the memory of nodes and four on storage. */
@Isolated("sets System.out")
class MemoryCommandsTest {
    @TempDir
    Path run;

    private Path checkpoints;

    @BeforeEach
    void save() throws IOException {
        Files.writeString(run.resolve("config.json"), "{}");
        checkpoints = run.resolve("checkpoints");
        for (int step = 100; step <= 400; step += 100) {
            saveOnDisk(step);
        }
    }

    private void saveOnDisk(long step) {
        try (var session = States.open(checkpoints, ThreadWorld.alone(), 9, new DiskOperations())) {
            session.save(States.state(step, step)).awaitDurable();
        }
    }

    private Path saveInMemory(long step) {
        Path memory = run.resolve("memory");
        memory.toFile().mkdirs();
        try (var session = Nodes.open(checkpoints, ThreadWorld.alone(), memory, 100, new DiskOperations())) {
            return session.save(States.state(step, step)).awaitDurable().path();
        }
    }

    @Test
    void listsCheckpointsInMemoryWithTheirPlaces() {
        Path newest = saveInMemory(450);
        List<String> lines = CommandOutput.lines(new ListCommand(null, new CtrlC()), run);
        assertTrue(lines.get(1).startsWith("memory/step-00000450  "), lines.get(1));
        assertTrue(lines.get(1).contains("  in memory: " + run.resolve("memory") + "/hirundo-"), lines.get(1));
        assertTrue(lines.get(2).startsWith("step-00000400"), lines.get(2));
        assertTrue(CommandOutput.lines(new ListCommand(null, new CtrlC()), run, "--json")
                .getFirst()
                .contains("\"inMemory\":true"));
        assertTrue(CommandOutput.lines(new VerifyCommand(new CtrlC()), newest)
                .getFirst()
                .startsWith("step-00000450  good"));
    }

    @Test
    void prunesOlderCheckpointsInMemory() {
        saveInMemory(450);
        CommandOutput.lines(new PruneCommand(new CtrlC()), run, "--keep-last", 4);
        assertTrue(CommandOutput.lines(new ListCommand(null, new CtrlC()), run)
                .get(1)
                .startsWith("memory/step-00000450"));
        saveOnDisk(500);
        List<String> said = CommandOutput.lines(new PruneCommand(new CtrlC()), run, "--keep-last", 4);
        assertTrue(said.stream().anyMatch(line -> line.startsWith("memory/step-00000450  deleted, ")), said::toString);
        assertFalse(CommandOutput.lines(new ListCommand(null, new CtrlC()), run)
                .toString()
                .contains("in memory"));
    }

    /** Of two nodes, each with a file that the other cannot see. */
    @Test
    void keepsTheManifestUntilAllNodesHavePruned() throws Exception {
        SavedCheckpoint saved = SavedCheckpoint.open(saveInMemory(450), new ManifestText());
        saveOnDisk(500);
        DataFile data = saved.manifest().files().getFirst();
        Path here = Path.of(data.places().getFirst());
        Path there = Path.of(here.toString().replace("/rank-00000/", "/rank-00001/"));
        var both = new DataFile(data.name(), data.bytes(), List.of(here.toString(), there.toString()));
        Path manifest = saved.folder().resolve("manifest.json");
        Files.write(
                manifest,
                new ManifestText().write(saved.withFiles(List.of(both)).manifest()));

        List<String> first = CommandOutput.lines(new PruneCommand(new CtrlC()), run, "--keep-last", 5);
        String expected =
                "memory/step-00000450  deleted on this machine, .* KiB; run this on the other nodes of the run too, .*";
        assertTrue(first.getFirst().matches(expected), first::toString);
        assertFalse(Files.exists(here.getParent()));
        assertTrue(Files.exists(manifest));
        Files.createDirectories(there.getParent());
        Files.writeString(there, "on the other node");
        List<String> dry = CommandOutput.lines(new PruneCommand(new CtrlC()), run, "--keep-last", 5, "--dry-run");
        assertEquals(List.of("memory/step-00000450  would be deleted, 17 B"), dry);
        assertEquals(
                List.of("memory/step-00000450  deleted, 17 B"),
                CommandOutput.lines(new PruneCommand(new CtrlC()), run, "--keep-last", 5));
        assertFalse(Files.exists(manifest));
        assertFalse(Files.exists(there.getParent().getParent().getParent()), "the run's folder in memory");
    }

    /** The second place cannot be deleted: a folder with something in it. */
    @Test
    void recordsDeletedPlacesEvenIfDeletingFails() throws Exception {
        SavedCheckpoint saved = SavedCheckpoint.open(saveInMemory(450), new ManifestText());
        DataFile data = saved.manifest().files().getFirst();
        Path here = Path.of(data.places().getFirst());
        Path stuck = Path.of(here.toString().replace("/rank-00000/", "/rank-00001/"));
        Files.createDirectories(stuck.resolve("in the way"));
        var both = new DataFile(data.name(), data.bytes(), List.of(here.toString(), stuck.toString()));
        var prune = new MemoryPrune(saved.withFiles(List.of(both)));
        assertThrows(DirectoryNotEmptyException.class, prune::deleteHere);
        assertFalse(Files.exists(here));
        assertTrue(prune.isAllHere(), "the next attempt deletes the manifest");
    }

    @Test
    void listsAndKeepsADamagedCheckpointInMemory() throws Exception {
        Files.writeString(saveInMemory(450).resolve("manifest.json"), "{");
        String listed =
                CommandOutput.lines(new ListCommand(null, new CtrlC()), run).get(1);
        assertTrue(listed.startsWith("memory/step-00000450 ") && listed.contains("DAMAGED: "), listed);
        List<String> said = CommandOutput.lines(new PruneCommand(new CtrlC()), run, "--keep-last", 4);
        assertEquals(1, said.size(), said::toString);
        assertTrue(said.getFirst().startsWith("memory/step-00000450  left alone, it is damaged: "), said::toString);
    }
}
