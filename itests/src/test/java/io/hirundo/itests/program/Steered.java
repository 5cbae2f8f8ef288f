package io.hirundo.itests.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Predicate;

/** A running training that gets commands, one after the other, from a framework of this process ({@link InProcess#command}). */
public final class Steered implements AutoCloseable {
    private static final int REJECTED = 1;

    private final Path run;
    private final Program.Running training;

    /** {@code starter}: the program that starts it, if any; {@code run}: where it will write. */
    public Steered(Program program, List<String> starter, Path run, List<String> arguments) throws Exception {
        this.run = run;
        this.training = program.startWith(starter, Map.of(), arguments.toArray(String[]::new));
        training.awaitUntil(() -> Files.exists(run.resolve("control.sock")));
    }

    /** Returns the training's answer to a command, which it must accept. */
    public String ask(String command) throws Exception {
        return answer(command, List.of(0));
    }

    /** Returns the training's answer to a command, which it must reject. */
    public String rejectionOf(String command) throws Exception {
        return answer(command, List.of(REJECTED));
    }

    private String answer(String command, List<Integer> exitCodes) throws Exception {
        Program.Result result = InProcess.command("attach", run.toString(), "-c", command);
        assertTrue(exitCodes.contains(result.exitCode()), result::toString);
        assertEquals("", result.err(), result::toString);
        return result.out();
    }

    /** Repeats the command, accepted or not, until the answer satisfies the condition. */
    public String askUntil(String command, Predicate<String> isEnough) throws Exception {
        String[] answer = new String[1];
        await(() -> {
            answer[0] = answer(command, List.of(0, REJECTED));
            return isEnough.test(answer[0]);
        });
        return answer[0];
    }

    /** Where the training is. */
    public String status() throws Exception {
        return ask("status").strip();
    }

    /** Waits until the condition holds, while the training runs. */
    public void await(Callable<Boolean> condition) throws Exception {
        training.awaitUntil(condition);
    }

    /** Waits until the training has printed this to standard error. */
    public void awaitError(String text) throws Exception {
        await(() -> errors().contains(text));
    }

    /** What the training has printed to standard error. */
    public String errors() throws IOException {
        return Files.readString(training.err());
    }

    /** Waits for this many more steps. */
    public void awaitSteps(int more) throws Exception {
        long until = metrics().lastStep() + more;
        await(() -> metrics().lastStep() >= until);
    }

    /** Those that the training has written until now. */
    public Metrics metrics() throws IOException {
        return Metrics.of(run);
    }

    /** Stops the training as a user does who is attached. */
    public Program.Result stop() throws Exception {
        ask("stop");
        return training.await();
    }

    /** What a rank has logged of what happened between steps, without what differs from rank to rank. */
    public List<String> log(int rank) throws IOException {
        return Files.readAllLines(run.resolve("rank-" + rank).resolve("log.txt")).stream()
                .filter(line -> line.contains(" rank " + rank + " step "))
                .map(line -> line.substring(line.indexOf(" step ")).replaceAll("( in| after) [0-9.]+ s$", ""))
                .toList();
    }

    @Override
    public void close() {
        training.process().destroyForcibly();
    }
}
