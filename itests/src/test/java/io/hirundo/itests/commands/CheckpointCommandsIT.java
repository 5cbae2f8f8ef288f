package io.hirundo.itests.commands;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoint commands of the built program, on intact and damaged checkpoints. */
class CheckpointCommandsIT {
    /** The profile {@code crash} sets more. */
    private static final int KILLS = Integer.getInteger("hirundo.programKills", 1);

    private static final int VOCABULARY = 256;

    @TempDir
    private static Path trained;

    @TempDir
    private Path folder;

    private Program program;

    /** Steps 2, 4 and 6, by two ranks, with the model at the end; once, for all tests. */
    @BeforeAll
    static void train() throws Exception {
        List<String> arguments = TinyTraining.arguments(
                VOCABULARY,
                List.of(
                        "training.steps=6",
                        "mesh.data=2",
                        "checkpoint.strategy={name: dcp-async, options: {keepLast: 3}}",
                        "checkpoint.everySteps=2",
                        "model.format=huggingface",
                        "model.export=true"));
        arguments.addAll(List.of("--set", "run.directory=" + trained.resolve("runs")));
        Program.Result result = InProcess.command(arguments.toArray(String[]::new));
        assertEquals(0, result.exitCode(), result::toString);
    }

    @BeforeEach
    void copy() throws IOException {
        program = Program.installed(folder);
        Path runs = trained.resolve("runs");
        try (Stream<Path> files = Files.walk(runs)) {
            for (Path file : files.toList()) {
                Files.copy(file, folder.resolve("runs").resolve(runs.relativize(file)));
            }
        }
    }

    private static String succeed(String... arguments) throws Exception {
        Program.Result result = InProcess.command(arguments);
        assertEquals(0, result.exitCode(), result::toString);
        return result.out();
    }

    private static void reject(List<String> words, String... arguments) throws Exception {
        Program.Result result = InProcess.command(arguments);
        assertEquals(74, result.exitCode(), result::toString);
        words.forEach(word -> assertTrue(result.err().contains(word), () -> word + " is not in " + result));
    }

    private String run() {
        return folder.resolve("runs/synthetic").toString();
    }

    /** The arguments of a training that resumes the run. */
    private String[] resume(String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "train", run() + "/config.json", "--resume", "--set", "run.directory=" + folder.resolve("runs")));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private Path checkpoint(int step) {
        return folder.resolve("runs/synthetic/checkpoints").resolve("step-%08d".formatted(step));
    }

    @Test
    void commandsLookAfterTheCheckpointsOfARun() throws Exception {
        List<String> list = succeed("checkpoint", "list", run()).lines().toList();
        assertEquals(4, list.size(), list::toString);
        assertTrue(list.get(1).matches("step-00000006 .* data 2 +whole"), list::toString);

        String shown = succeed("checkpoint", "show", run());
        for (String part : List.of(
                "Step                     6",
                "optimizer/exp_avg/lm_head.weight",
                "dcp-async of io.hirundo.checkpoint-dcp")) {
            assertTrue(shown.contains(part), () -> part + " is not in\n" + shown);
        }

        // The weights are those of the run's own end, bit for bit.
        succeed(
                "checkpoint",
                "convert",
                checkpoint(6).toString(),
                "--to",
                folder.resolve("converted").toString());
        assertArrayEquals(
                Files.readAllBytes(folder.resolve("runs/synthetic/model/model.safetensors")),
                Files.readAllBytes(folder.resolve("converted/model.safetensors")));
        assertEquals(
                Files.readString(folder.resolve("runs/synthetic/model/config.json")),
                Files.readString(folder.resolve("converted/config.json")));

        succeed("checkpoint", "prune", run(), "--keep-last", "1", "--keep-every", "4");
        assertEquals(2, succeed("checkpoint", "verify", run()).lines().count());
        assertTrue(Files.exists(checkpoint(4)) && Files.exists(checkpoint(6)) && !Files.exists(checkpoint(2)));
    }

    @Test
    void whatIsDamagedIsFoundAndTheNewestGoodOneIsOfferedOrTaken() throws Exception {
        Path damaged = checkpoint(6).resolve("rank-00001.data");
        flipFirstBit(damaged);
        Files.writeString(checkpoint(4).resolve("manifest.json"), "{");
        List<String> words = List.of(damaged.toString(), "in tensor '");
        reject(List.of("2 of 3", "step-00000006, step-00000004"), "checkpoint", "verify", run());

        reject(
                List.of(
                        damaged.toString(),
                        "in tensor '",
                        checkpoint(2).toString(),
                        "--set checkpoint.onDamage=previous"),
                resume("--set", "training.steps=8"));

        String out = succeed(resume("--set", "training.steps=8", "--set", "checkpoint.onDamage=previous"));
        assertTrue(out.contains("steps 3 to 8"), out);
        assertTrue(out.contains("resumes from here: cannot load step-00000006: " + damaged), out);
        assertTrue(out.contains("resumes from here: cannot load step-00000004: "), out);
        List<JsonNode> passed = Metrics.of(folder.resolve("runs/synthetic")).of("passedOver");
        assertEquals(
                List.of("checkpoints/step-00000006", "checkpoints/step-00000004"),
                passed.stream().map(line -> line.get("passedOver").asText()).toList());
        for (int rank = 0; rank < 2; rank++) {
            String log = Files.readString(folder.resolve("runs/synthetic/rank-" + rank + "/log.txt"));
            assertTrue(words.stream().allMatch(log::contains), log);
        }
    }

    @Test
    void aProgramThatIsKilledGoesOnFromWhatWasDurable() throws Exception {
        Path latest = folder.resolve("runs/synthetic/checkpoints/latest");
        var random = new Random(3);
        // Each kill in another mode than the one that saved, so that the next resumes what a killed process of another
        // mode left behind.
        var modes = List.of("fsdp", "zero2", "zero1", "{name: fsdp, options: {shardSize: 1}}");
        for (int kill = 0; kill < KILLS; kill++) {
            String before = Files.readString(latest);
            Program.Running running = program.start(
                    Map.of(),
                    resume(
                            "--set",
                            "training.steps=1000000",
                            "--set",
                            "checkpoint.everySteps=1",
                            "--set",
                            "mesh.dataParallel=" + modes.get(kill % modes.size())));
            while (Files.readString(latest).equals(before)) {
                assertTrue(running.process().isAlive(), () -> "ended too early");
                Thread.sleep(5);
            }
            Thread.sleep(random.nextInt(300));
            running.process().toHandle().destroyForcibly();
            running.process().waitFor();
        }
        long step = Long.parseLong(Files.readString(latest).strip().substring("step-".length()));
        String out = succeed(resume(
                "--set",
                "training.steps=" + (step + 5),
                "--set",
                "mesh.dataParallel=" + modes.get(KILLS % modes.size())));
        // The process may have been killed after a checkpoint became durable and before {@code latest} named it.
        assertTrue(out.contains("steps " + (step + 1) + " to ") || out.contains("steps " + (step + 2) + " to "), out);
        succeed("checkpoint", "verify", run());
    }

    private static void flipFirstBit(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[0] ^= 1;
        Files.write(file, bytes);
    }
}
