package io.hirundo.pluginnew.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.StorageException;
import io.hirundo.command.Command;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.testkit.CommandContract;
import io.hirundo.testkit.HirundoContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

@HirundoContract
class PluginNewCommandTest implements CommandContract {
    private static final OurNames OURS = new OurNames(
            List.of(
                    new StrategyInfo("precision", "fp32", "io.hirundo.precision-native 0.1.0", NoOptions.class),
                    new StrategyInfo("checkpoint-store", "folder", "io.hirundo.store-folder 0.1.0", NoOptions.class),
                    new StrategyInfo("architecture", "llama", "io.hirundo.model-llama 0.1.0", NoOptions.class),
                    new StrategyInfo("precision", "acme-fp32", "org.example.acmefp32 1.0.0", NoOptions.class)),
            List.of("train", "plugin new"));

    @TempDir
    private Path folder;

    private int folders;

    @Override
    public Command command() {
        return new PluginNewCommand(folder.resolve("R&D/hirundo").toString(), OURS);
    }

    @Override
    public List<List<String>> workingArguments() {
        return List.of(
                arguments("acme", "--kind", "precision"),
                arguments("acme-fp32", "--kind", "data", "--package", "com.acme.b"));
    }

    @Override
    public List<List<String>> failingArguments() {
        try {
            Files.writeString(folder.resolve("file"), "mine");
            Files.createDirectories(folder.resolve("full/of"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Stream.of("file", "full", "file/below")
                .map(name -> List.of(
                        "acme",
                        "--kind",
                        "precision",
                        "--directory",
                        folder.resolve(name).toString()))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(PluginKind.class)
    void createsAProjectOfEveryKind(PluginKind kind) throws IOException {
        Path project = make("acme-one", "--kind", kind.word(), "--package", "com.acme.one");
        List<String> files;
        try (Stream<Path> all = Files.walk(project)) {
            files = all.filter(Files::isRegularFile)
                    .map(file -> project.relativize(file).toString())
                    .sorted()
                    .toList();
        }
        assertTrue(
                files.containsAll(List.of(
                        ".gitignore", ".mvn/jvm.config", ".mvn/maven.config", "README.md", "bnd.bnd", "pom.xml")),
                files::toString);
        assertTrue(
                files.stream().anyMatch(file -> file.matches("src/main/java/com/acme/one/AcmeOne\\w+[.]java")),
                files::toString);
        assertTrue(
                files.stream().anyMatch(file -> file.matches("src/test/java/com/acme/one/AcmeOne\\w+Test[.]java")),
                files::toString);
        for (String file : files) {
            String text = Files.readString(project.resolve(file));
            assertFalse(text.contains("__"), file + " has a placeholder left");
            assertFalse(text.isBlank(), file);
        }
        assertTrue(Files.readString(project.resolve("pom.xml")).contains("R&amp;D/hirundo</hirundo.home>"));
        assertTrue(Files.readString(project.resolve("README.md")).contains("R&D/hirundo/plugins/acme-one.jar"));
    }

    @ParameterizedTest
    @EnumSource(PluginKind.class)
    void usesEveryResource(PluginKind kind) throws IOException {
        Path resources = Path.of("src/main/resources/io/hirundo/pluginnew/internal/project")
                .resolve(kind.word());
        try (Stream<Path> files = Files.list(resources)) {
            assertEquals(
                    kind.classes().stream()
                            .map(end -> "__Name__" + end + ".java")
                            .sorted()
                            .toList(),
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".java"))
                            .sorted()
                            .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Acme",
                "acme_x",
                "acme--x",
                "acme-",
                "1acme",
                "../acme",
                "a b",
                "strategy",
                "acmeacmeacmeacmeacmeacmeacmeacmeacmeacme1"
            })
    void rejectsAnInvalidName(String name) {
        var failure = assertThrows(ParameterException.class, () -> make(name, "--kind", "precision"));
        assertTrue(
                failure.getMessage().startsWith("NAME ")
                        && !failure.getMessage().contains("\n"),
                failure::getMessage);
        assertNothingWasWritten();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Acme",
                "com..acme",
                "com.acme.",
                "com.class.acme",
                "java.acme",
                "io.hirundo",
                "io.hirundo.acme",
                "a/b"
            })
    void rejectsAnInvalidPackage(String name) {
        var failure =
                assertThrows(ParameterException.class, () -> make("acme", "--kind", "precision", "--package", name));
        assertTrue(
                failure.getMessage().startsWith("--package ")
                        && failure.getMessage().contains("'" + name + "'"),
                failure::getMessage);
        assertNothingWasWritten();
    }

    @Test
    void rejectsAnUnknownKindWithTheAllowedOnes() {
        var failure = assertThrows(ParameterException.class, () -> make("acme", "--kind", "precison"));
        assertEquals("--kind: 'precison' is wrong (allowed: " + PluginKind.names() + ")", failure.getMessage());
        assertNothingWasWritten();
    }

    @Test
    void shellCompletionOffersTheKinds() {
        String script = AutoComplete.bash("hirundo", new CommandLine(command()));
        for (PluginKind kind : PluginKind.values()) {
            assertTrue(script.contains("\"" + kind.word() + "\""), script);
        }
    }

    @Test
    void appendsAnUnderscoreToAKeywordPackage() throws IOException {
        Path project = make("short", "--kind", "precision");
        assertTrue(Files.isRegularFile(project.resolve("src/main/java/org/example/short_/ShortFactory.java")));
    }

    @Test
    void fillsAnEmptyFolderAndRejectsAFullOne() throws IOException {
        Path mine = Files.createDirectories(folder.resolve("mine"));
        run("acme", "--kind", "precision", "--directory", mine.toString());
        assertTrue(Files.exists(mine.resolve("pom.xml")));
        Files.writeString(mine.resolve("pom.xml"), "changed");
        var failure = assertThrows(
                StorageException.class, () -> run("acme", "--kind", "precision", "--directory", mine.toString()));
        assertTrue(failure.getMessage().contains(mine + " exists and is not empty"), failure::getMessage);
        assertEquals("changed", Files.readString(mine.resolve("pom.xml")));
    }

    @Test
    void leavesNothingAfterAWriteFailure() throws IOException {
        Files.writeString(folder.resolve("file"), "");
        String below = folder.resolve("file/below").toString();
        var failure =
                assertThrows(StorageException.class, () -> run("acme", "--kind", "precision", "--directory", below));
        assertTrue(
                failure.getMessage().startsWith("cannot write " + below)
                        && !failure.getMessage().contains("Exception"),
                failure.getMessage());
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(folder.resolve("file")), left.toList());
        }
    }

    @Test
    void rejectsAMissingHome() {
        var command = new PluginNewCommand(null, OURS);
        new CommandLine(command).parseArgs(arguments("acme", "--kind", "data").toArray(String[]::new));
        assertThrows(ConfigurationException.class, command::call);
        assertNothingWasWritten();
    }

    @ParameterizedTest
    @CsvSource({
        "fp32, precision, precision",
        "llama, model, model family",
        "folder, store, checkpoint store",
        "train, command, command",
        "plugin, command, command"
    })
    void rejectsANameOfHirundosOwnBundles(String name, String kind, String what) {
        ParameterException rejected = assertThrows(ParameterException.class, () -> make(name, "--kind", kind));
        assertEquals(
                "NAME '" + name + "' is taken: Hirundo has a " + what
                        + " of this name, which would hide it; choose another, for example acme-" + name,
                rejected.getMessage());
        assertNothingWasWritten();
    }

    @Test
    void acceptsANameOfAnotherKindOrOfAPlugin() throws IOException {
        make("fp32", "--kind", "data", "--package", "com.acme.data");
        make("acme-fp32", "--kind", "precision", "--package", "com.acme.one");
    }

    private Path make(String... arguments) {
        List<String> all = arguments(arguments);
        run(all.toArray(String[]::new));
        return Path.of(all.getLast());
    }

    /** With a folder that is not there yet. */
    private List<String> arguments(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(
                List.of("--directory", folder.resolve("projects/" + folders++).toString()));
        return all;
    }

    private void run(String... arguments) {
        var command = (PluginNewCommand) command();
        new CommandLine(command).parseArgs(arguments);
        command.call();
    }

    private void assertNothingWasWritten() {
        assertFalse(Files.exists(folder.resolve("projects")));
    }
}
