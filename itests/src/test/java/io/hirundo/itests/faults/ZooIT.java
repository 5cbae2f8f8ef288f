package io.hirundo.itests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.hirundo.itests.damage.FileFaults;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every reader rejects malformed input with its exit code and one line, and leaves the files of the case as they were.
 *
 * <p>System properties: {@code hirundo.zoo}: {@code all}, or {@code core} for a part of it that is quick;
 * {@code hirundo.zoo.only}: a regular expression for the names of cases.
 */
class ZooIT {
    private static final int FEWEST = 300;

    /** The core: these of every reader of files, and all of the parsers, which take milliseconds. */
    private static final Set<String> CORE =
            Set.of("absent", "empty", "Git LFS pointer", "named pipe", "random bytes", "a byte short", "version 2");

    /** A process for each would take too long for the core; this one is its representative. */
    private static final String CORE_PROCESS = "plugin jar: named pipe";

    @TempDir
    private static Path shared;

    private static InProcess hirundo;
    private static Zoo zoo;

    @BeforeAll
    static void prepare() throws Exception {
        hirundo = InProcess.shared();
        Originals originals = Originals.make(shared.resolve("originals"), hirundo);
        zoo = new Zoo();
        ConfigurationFaults.add(zoo, originals);
        DataFaults.add(zoo, originals);
        TokenizerFaults.add(zoo, originals);
        ModelFaults.add(zoo, originals);
        CheckpointFaults.add(zoo, originals);
        PluginFaults.add(zoo, originals);
        ParserFaults.add(zoo, originals, new FuzzedMethods(hirundo, originals));
    }

    @Test
    void hasAtLeastThreeHundredCases() {
        Set<String> readers = zoo.specimens().stream().map(Specimen::reader).collect(Collectors.toSet());
        long core = zoo.specimens().stream().filter(ZooIT::isCore).count();
        System.out.printf(
                "zoo: %d cases of %d readers, %d in the core%n", zoo.specimens().size(), readers.size(), core);
        assertTrue(zoo.specimens().size() >= FEWEST, () -> zoo.specimens().size() + " cases");
    }

    @TestFactory
    Stream<DynamicContainer> rejectsMalformedInputWithOneLine() {
        String only = System.getProperty("hirundo.zoo.only", "");
        Map<String, List<Specimen>> byReader = zoo.specimens().stream()
                .filter(specimen -> only.isEmpty() || specimen.name().matches(only))
                .collect(Collectors.groupingBy(Specimen::reader, LinkedHashMap::new, Collectors.toList()));
        boolean all =
                !only.isEmpty() || System.getProperty("hirundo.zoo", "core").equals("all");
        return byReader.entrySet().stream()
                .map(entry -> dynamicContainer(
                        entry.getKey(),
                        entry.getValue().stream()
                                .filter(specimen -> all || isCore(specimen))
                                .map(specimen -> dynamicTest(specimen.name(), () -> check(specimen)))));
    }

    private static boolean isCore(Specimen specimen) {
        if (specimen.ownProcess()) {
            return specimen.name().equals(CORE_PROCESS);
        }
        return specimen.parser() != null || CORE.contains(specimen.fault());
    }

    private static void check(Specimen specimen) throws Exception {
        Path folder = Files.createTempDirectory(shared, "case");
        try {
            Originals.copy(specimen.original(), folder);
            specimen.breakage().apply(folder.resolve(specimen.file()));
            Set<String> before = names(folder);
            Program.Result result = result(specimen, folder);
            Verdict.check(specimen, folder, result);
            if (result.exitCode() != 0 && !specimen.ownProcess()) {
                assertEquals(before, names(folder), "files were made or deleted");
            }
        } finally {
            FileFaults.delete(folder);
        }
    }

    private static Program.Result result(Specimen specimen, Path folder) throws Exception {
        if (specimen.parser() != null) {
            return specimen.parser().apply(Files.readAllBytes(folder.resolve(specimen.file())));
        }
        List<String> command = specimen.commandIn(folder);
        return specimen.ownProcess()
                ? program(folder).run(command.toArray(String[]::new))
                : hirundo.run(InProcess.LIMIT, command)
                        .orElseThrow(() -> new AssertionError("no end within " + InProcess.LIMIT + ": " + stack()));
    }

    private static Program program(Path folder) {
        Path home = folder.resolve("home");
        return Files.isDirectory(home) ? new Program(home, folder) : Program.installed(folder);
    }

    private static Set<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file ->
                            folder.relativize(file) + (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) ? "/" : ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String stack() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> entry.getKey().getName().equals("command"))
                .map(entry -> List.of(entry.getValue()).toString())
                .collect(Collectors.joining("\n"));
    }
}
