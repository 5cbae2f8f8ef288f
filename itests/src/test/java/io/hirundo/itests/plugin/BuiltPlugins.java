package io.hirundo.itests.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A project of every kind that {@code plugin new} writes, and a model family of a third party: built by one run of Maven, which runs their
 * tests too, and used by the program. The build takes some twenty seconds of CPU time, so all tests of these plugins share it.
 */
final class BuiltPlugins implements AutoCloseable {
    /** Each kind of project, and the kind of its strategy; a command has none. */
    static final Map<String, String> STRATEGIES = new TreeMap<>(Map.ofEntries(
            Map.entry("precision", "precision"),
            Map.entry("checkpoint", "checkpoint"),
            Map.entry("store", "checkpoint-store"),
            Map.entry("data", "data"),
            Map.entry("tokenizer", "tokenizer"),
            Map.entry("monitor", "monitor"),
            Map.entry("device", "device"),
            Map.entry("fabric", "fabric"),
            Map.entry("optimizer", "optimizer"),
            Map.entry("learning-rate", "learning-rate"),
            Map.entry("schedule", "schedule"),
            Map.entry("model", "architecture"),
            Map.entry("format", "model-format"),
            Map.entry("kernels", "kernels"),
            Map.entry("data-parallel", "data-parallel"),
            Map.entry("tensor-parallel", "tensor-parallel"),
            Map.entry("context-parallel", "context-parallel"),
            Map.entry("command", "")));

    /** Of the family that a third party wrote. */
    static final Path OLMO2_SOURCES = Path.of("src/test/projects/olmo2/src");

    /** Of an FP8 precision of a third party, which is tested on the testkit's device and in a training of its own. */
    private static final Path FP8_SOURCES = Path.of("src/test/projects/fp8/src");

    private static final Set<String> KINDS = STRATEGIES.keySet();
    private static final String OLMO2 = "olmo2";
    private static final String FP8 = "acme-fp8";

    /** Bytes, and the end of a text. */
    private static final int VOCABULARY = 257;

    private final Path folder;
    private final Program program;
    private final InProcess hirundo;

    /** Makes and builds all of them in an empty folder. */
    BuiltPlugins(Path folder) throws Exception {
        this.folder = folder;
        program = Program.copied(folder, "a hirundo & co");
        makeAllKinds();
        for (String kind : KINDS) {
            testInMaven(project(kind).resolve("pom.xml"));
        }
        new OfflineMaven(folder)
                .buildTogether(Stream.concat(KINDS.stream().map(BuiltPlugins::name), Stream.of(OLMO2, FP8))
                        .toList());
        for (String kind : KINDS) {
            Files.copy(jar(kind), program.plugin(name(kind) + ".jar"));
        }
        Files.copy(folder.resolve(OLMO2).resolve("target/olmo2.jar"), program.plugin("olmo2.jar"));
        hirundo = InProcess.start(Files.createDirectory(folder.resolve("process")), program.home(), "cpu");
        PluginJar.slowSteps(program);
    }

    /** The first as users do, in the current folder; the others in a framework of this process, because the start of a program costs a second. */
    private void makeAllKinds() throws Exception {
        String first = KINDS.iterator().next();
        succeed(program.run("--profile", "minimal", "plugin", "new", name(first), "--kind", first));
        try (InProcess withoutPlugins = InProcess.start(
                Files.createDirectory(folder.resolve("process of plugin new")), program.home(), "minimal")) {
            for (String kind : KINDS) {
                if (!kind.equals(first)) {
                    succeed(pluginNew(withoutPlugins, name(kind), kind, project(kind)));
                }
            }
            makeWithSources(withoutPlugins, OLMO2, "model", OLMO2_SOURCES);
            makeWithSources(withoutPlugins, FP8, "precision", FP8_SOURCES);
        }
    }

    private static Program.Result pluginNew(InProcess in, String name, String kind, Path project) throws Exception {
        return in.run(
                        InProcess.LIMIT,
                        List.of("plugin", "new", name, "--kind", kind, "--directory", project.toString()))
                .orElseThrow();
    }

    /** What a third party wrote: the files of a new project, with other sources. */
    private void makeWithSources(InProcess in, String name, String kind, Path sources) throws Exception {
        Path project = folder.resolve(name);
        succeed(pluginNew(in, name, kind, project));
        Files.move(project.resolve("src"), folder.resolve(name + " as written"));
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(
                        file,
                        project.resolve("src").resolve(sources.relativize(file).toString()));
            }
        }
    }

    /** Tests of all kinds but {@link #OLMO2} run in Maven's own JVM: the start of another one for each takes longer than they do. */
    private static void testInMaven(Path pom) throws IOException {
        String written = Files.readString(pom);
        String changed = written.replace("</properties>", "<forkCount>0</forkCount></properties>");
        assertNotEquals(written, changed);
        Files.writeString(pom, changed);
    }

    /** The program with all of them in its {@code plugins/}, in a folder of the test; the path of its home has special characters. */
    Program programIn(Path workingDirectory) {
        return new Program(program.home(), workingDirectory);
    }

    /** Runs a command in a framework of this process, with the bundles of the profile {@code cpu} and all plugins. */
    Program.Result run(String... arguments) throws Exception {
        return hirundo.run(Program.LIMIT, List.of(arguments)).orElseThrow();
    }

    /** As {@link #run}, for a command that must succeed. */
    Program.Result succeed(String... arguments) throws Exception {
        return succeed(run(arguments));
    }

    private static Program.Result succeed(Program.Result result) {
        assertEquals(0, result.exitCode(), result::toString);
        return result;
    }

    /** Runs {@code plugin new} in a framework of this process. */
    Program.Result pluginNew(String name, String kind, Path project) throws Exception {
        return pluginNew(hirundo, name, kind, project);
    }

    /** A command for a training of {@link TinyTraining} with these assignments too. */
    static String[] tiny(String command, List<String> assignments, String... more) {
        List<String> arguments = TinyTraining.arguments(
                VOCABULARY, Stream.concat(assignments.stream(), Stream.of(more)).toList());
        arguments.set(0, command);
        return arguments.toArray(String[]::new);
    }

    /** The project of a kind, and the plugin that it builds. */
    static String name(String kind) {
        return "acme-" + kind;
    }

    /** The folder of a kind's project. */
    Path project(String kind) {
        return folder.resolve(name(kind));
    }

    private Path jar(String kind) {
        return project(kind).resolve("target").resolve(name(kind) + ".jar");
    }

    @Override
    public void close() throws Exception {
        hirundo.close();
    }
}
