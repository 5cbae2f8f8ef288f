package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.SmallTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One process per rank: the same losses as with ranks as threads, and one run directory. Skipped where there is no Open MPI. */
class MpiProgramIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Weights after the second step depend on moments of the first; exported weights are compared too. */
    private static final int STEPS = 2;

    private static final List<String> SHORT = List.of(
            "training.steps=" + STEPS,
            "training.microBatch=2",
            "training.globalBatch=8",
            "evaluation.everySteps=1",
            "checkpoint.everySteps=1",
            "checkpoint.strategy=dcp-async");

    private static SmallTraining small;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void prepare() throws Exception {
        OpenMpi.assumeThere(MpiProgramIT.class);
        small = SmallTraining.prepare(program());
    }

    /** Reduce-scatters, all-gathers and point-to-point transfers. */
    @Test
    void processesFindTheLossesOfThreads() throws Exception {
        compareOfTwo("tensor pipeline");
    }

    @Test
    @Tag("matrix")
    void processesOfContextAndDataFindTheLossesOfThreads() throws Exception {
        compareOfTwo("context data");
    }

    /** The same settings with other groups of ranks. */
    @Test
    @Tag("soak")
    void processesOfTensorAndContextFindTheLossesOfThreads() throws Exception {
        compareOfTwo("tensor context");
    }

    private static void compareOfTwo(String axes) throws Exception {
        List<String> layout = new ArrayList<>();
        for (String axis : axes.split(" ")) {
            layout.addAll(List.of("--set", "mesh." + axis + "=2"));
        }
        compare(axes.replace(" ", "-"), layout);
    }

    @Test
    @Tag("soak")
    void processesOfTheDataAxisFindTheLossesOfThreads() throws Exception {
        compare("data4", List.of("--set", "mesh.data=4"));
    }

    @Test
    void theNumberOfProcessesMustBeThatOfRanks() throws Exception {
        Program.Result one = processes(1, "rejected", List.of("--set", "mesh.data=4"));
        assertEquals(78, one.exitCode(), one::toString);
        assertTrue(one.err().contains("4 ranks, but mpirun started 1 processes"), one::toString);

        Program.Result none = threads("rejected", List.of("--set", "mesh.fabric=mpi", "--set", "mesh.data=4"));
        assertEquals(78, none.exitCode(), none::toString);
        assertTrue(none.err().contains("was not started by mpirun; start 'mpirun -n 4 hirundo train"), none::toString);
        assertFalse(Files.exists(folder.resolve("runs").resolve("rejected")), none::toString);
    }

    @Test
    void whatFailsOnOneRankEndsAllWithItsExitCode() throws Exception {
        // A file in the place of rank 1's folder.
        Path run = Files.createDirectories(folder.resolve("runs").resolve("blocked"));
        Files.writeString(run.resolve("rank-1"), "");
        Program.Result result = processes(2, "blocked", List.of("--set", "mesh.data=2"));
        assertEquals(73, result.exitCode(), result::toString);
        // The other rank may end before it prints the same.
        assertTrue(result.err().contains("cannot write " + run.resolve("rank-1")), result::toString);
    }

    private static void compare(String name, List<String> layout) throws Exception {
        Program.Result threads = threads("threads-" + name, layout);
        assertEquals(0, threads.exitCode(), threads::toString);
        Program.Result processes = processes(4, "processes-" + name, layout);
        assertEquals(0, processes.exitCode(), processes::toString);
        assertEquals(STEPS, steps("processes-" + name).size(), "one process writes");
        assertEquals(steps("threads-" + name), steps("processes-" + name), "bitwise the same");
        assertTrue(
                threads.out().contains("checkpoint saved") && processes.out().contains("checkpoint saved"),
                processes::toString);
        Path run = folder.resolve("runs").resolve("processes-" + name);
        for (int rank = 0; rank < 4; rank++) {
            assertTrue(Files.readString(run.resolve("rank-" + rank).resolve("log.txt"))
                    .contains("finished after step " + STEPS));
        }
        Path model = Path.of("model", "model.safetensors");
        assertEquals(
                -1,
                Files.mismatch(
                        run.resolve(model),
                        folder.resolve("runs").resolve("threads-" + name).resolve(model)));
    }

    private static Program.Result threads(String name, List<String> settings) throws Exception {
        List<String> arguments = arguments(name, settings);
        arguments.addAll(List.of("--set", "run.directory=" + folder.resolve("runs")));
        return InProcess.command(arguments.toArray(String[]::new));
    }

    private static Program.Result processes(int count, String name, List<String> settings) throws Exception {
        List<String> arguments = new ArrayList<>(settings);
        arguments.addAll(List.of("--set", "mesh.fabric=mpi"));
        Program.Running running = program()
                .startWith(
                        OpenMpi.starter(count),
                        Map.of(),
                        arguments(name, arguments).toArray(String[]::new));
        while (!running.process().waitFor(200, TimeUnit.MILLISECONDS)) {
            assertEquals(
                    Set.of(), OpenMpi.listening(running.process().toHandle()), "ranks of one host listen on no port");
        }
        return running.await();
    }

    private static List<String> arguments(String name, List<String> settings) {
        List<String> arguments = small.arguments(name, SHORT);
        arguments.addAll(settings);
        return arguments;
    }

    private static Program program() {
        return Program.installed(folder);
    }

    private static List<String> steps(String name) throws IOException {
        List<String> steps = new ArrayList<>();
        for (String line :
                Files.readAllLines(folder.resolve("runs").resolve(name).resolve("metrics.jsonl"))) {
            JsonNode object = JSON.readTree(line);
            if (object.has("gradNorm")) {
                steps.add(object.get("step") + " " + object.get("loss") + " " + object.get("gradNorm"));
            }
        }
        return steps;
    }
}
