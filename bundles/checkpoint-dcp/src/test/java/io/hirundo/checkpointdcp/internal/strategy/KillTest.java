package io.hirundo.checkpointdcp.internal.strategy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.SavesUntilKilled;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.fixture.Way;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that saves without a pause is killed at random moments, again and again over the same folder. */
class KillTest {
    /** Over both strategies; the profile {@code crash} asks for more. */
    private static final int KILLS = Integer.getInteger("hirundo.kills", 16);

    private static final int MOST_SAVES = 4;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void loadsTheLastCompleteCheckpointBitwiseAfterAKill(Way way) throws Exception {
        var random = new Random(way.ordinal());
        Path directory = folder.resolve("checkpoints");
        int cutOff = 0;
        for (int kill = 0; kill < KILLS / 2; kill++) {
            long promised = saveAndKill(way, directory, random);
            cutOff += entries(directory).stream().anyMatch(name -> name.contains("tmp-") || name.contains("trash-"))
                    ? 1
                    : 0;
            assertRecovers(way, directory, promised);
        }
        assertTrue(cutOff > KILLS / 20, () -> "hardly any kill struck a save");
    }

    /** The newest step that the process said was durable. */
    private long saveAndKill(Way way, Path directory, Random random) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xshare:auto",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx128m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SavesUntilKilled.class.getName(),
                        way.name(),
                        directory.toString())
                .redirectError(folder.resolve("err.txt").toFile())
                .start();
        long promised = 0;
        try (BufferedReader said = process.inputReader()) {
            // However fast the machine is, after some saves, and anywhere within the next.
            long lastNanos = 0;
            long saveNanos = 0;
            int saves = 2 + random.nextInt(MOST_SAVES);
            for (int save = 0; save < saves; save++) {
                String line = said.readLine();
                assertNotNull(line, () -> "the process has ended: " + errors());
                promised = Long.parseLong(line);
                saveNanos = System.nanoTime() - lastNanos;
                lastNanos = System.nanoTime();
            }
            TimeUnit.NANOSECONDS.sleep(random.nextLong(saveNanos));
            // Not the process itself, which would close what it has said.
            process.toHandle().destroyForcibly();
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                promised = Long.parseLong(line);
            }
        } finally {
            process.destroyForcibly();
            process.waitFor();
        }
        return promised;
    }

    private String errors() {
        try {
            return Files.readString(folder.resolve("err.txt"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void assertRecovers(Way way, Path directory, long promised) throws IOException {
        try (var session = way.open(directory, ThreadWorld.alone(), 3, new DiskOperations())) {
            List<CheckpointInfo> whole = session.list();
            assertTrue(whole.getFirst().step() >= promised, () -> promised + " was promised, there are " + whole);
            assertEquals(
                    whole,
                    session.found().stream().map(found -> found.checkpoint()).toList(),
                    "all are whole");
            whole.forEach(checkpoint -> SavesUntilKilled.assertLoads(session, checkpoint));
            List<String> left = entries(directory);
            assertFalse(left.stream().anyMatch(name -> !name.matches("latest|step-\\d{8}")), left::toString);
            String latest = Files.readString(directory.resolve("latest")).strip();
            assertTrue(left.contains(latest), () -> "latest is " + latest + ", there are " + left);
        }
    }

    private static List<String> entries(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }
}
