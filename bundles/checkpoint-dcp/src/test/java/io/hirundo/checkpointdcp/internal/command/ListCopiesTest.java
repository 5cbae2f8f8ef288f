package io.hirundo.checkpointdcp.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.testkit.CtrlC;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import picocli.CommandLine;

/** {@code checkpoint list --copies}. */
@Isolated("sets System.out")
class ListCopiesTest {
    @TempDir
    private Path run;

    private final List<Choice> asked = new ArrayList<>();
    private boolean isLost;
    private boolean isClosed;

    private final StrategyRegistry registry = new StrategyRegistry() {
        @Override
        public List<StrategyInfo> list() {
            throw new UnsupportedOperationException();
        }

        @Override
        public <S> S create(Class<S> contract, Choice choice, String path) {
            asked.add(choice);
            return contract.cast((io.hirundo.checkpoint.CheckpointStore) Away::new);
        }
    };

    /** Two copies, or no way to them. */
    private final class Away implements StoreSession {
        private final String run;

        Away(String run) {
            this.run = run;
        }

        @Override
        public String place() {
            return "away/" + run;
        }

        @Override
        public List<StoredCheckpoint> list() {
            if (isLost) {
                throw new StoreException("away: connection reset");
            }
            return List.of(new StoredCheckpoint("step-00000004", 4, 2048), new StoredCheckpoint("step-00000002", 2, 1));
        }

        @Override
        public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void delete(StoredCheckpoint copy) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    @BeforeEach
    void configure() throws IOException {
        Files.createDirectory(run.resolve("checkpoints"));
        configure("{\"name\": \"folder\", \"options\": {\"path\": \"away\"}}");
    }

    private void configure(String store) throws IOException {
        Files.writeString(
                run.resolve("config.json"),
                "{\"run\": {\"name\": \"mine\"}, \"checkpoint\": {\"store\": " + store + "}}");
    }

    /** Lines of standard output and standard error. */
    private List<String> list(String... options) {
        return list(run, options);
    }

    private List<String> list(Path path, String... options) {
        var command = new ListCommand(registry, new CtrlC());
        var arguments = new ArrayList<>(List.of(path.toString()));
        arguments.addAll(List.of(options));
        new CommandLine(command).parseArgs(arguments.toArray(String[]::new));
        var bytes = new ByteArrayOutputStream();
        PrintStream out = System.out;
        PrintStream err = System.err;
        var both = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        System.setOut(both);
        System.setErr(both);
        try {
            assertEquals(0, command.call());
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        // The first use of a log in the process says that there is nobody to log to.
        return bytes.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.startsWith("SLF4J"))
                .skip(options.length == 2 ? 0 : 1)
                .toList();
    }

    @Test
    void asksTheStoreOnlyWithCopies() {
        list();
        assertEquals(List.of(), asked);
    }

    @Test
    void listsCopiesWithTheirPlace() {
        assertEquals(
                List.of(
                        "",
                        "COPY           SIZE      PLACE",
                        "step-00000004  2.00 KiB  away/mine",
                        "step-00000002  1 B       away/mine"),
                list("--copies"));
        assertEquals("folder", asked.getFirst().name());
        assertEquals("away", asked.getFirst().options().get("path"));
        assertTrue(isClosed);
        assertEquals(
                "{\"copy\":\"step-00000004\",\"step\":4,\"bytes\":2048,\"place\":\"away/mine\"}",
                list("--copies", "--json").getFirst());
    }

    @Test
    void findsTheRunFromAnyOfItsFolders() throws IOException {
        Path inMemory = Files.createDirectories(run.resolve("checkpoints/memory"));
        for (Path path : List.of(
                run.resolve("checkpoints"), inMemory, Files.createDirectory(inMemory.resolve("step-00000005")))) {
            assertTrue(list(path, "--copies").getLast().endsWith("away/mine"), path::toString);
        }
        try (var all = Files.walk(run.resolve("checkpoints"))) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
        assertTrue(list("--copies").getLast().endsWith("away/mine"), "a run that has saved nothing here");
    }

    @Test
    void reportsAnUnreachableStoreInOneLineAndListsTheRest() throws IOException {
        isLost = true;
        assertEquals(List.of("Copies cannot be listed: away: connection reset"), list("--copies"));
        configure("null");
        assertEquals(List.of("Copies cannot be listed: the run has no store (checkpoint.store)"), list("--copies"));
    }
}
