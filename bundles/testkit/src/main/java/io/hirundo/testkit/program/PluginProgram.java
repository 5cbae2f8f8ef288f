package io.hirundo.testkit.program;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * The program of an installation with one plugin: that of the project under test, as its classes are after {@code mvn compile}. The plugins of
 * the installation are not there, and it stays as it is. Each run is a process, with the bundles of the profile {@code minimal}.
 */
public final class PluginProgram {
    private static final long LIMIT_SECONDS = 120;

    /** What the program takes from the installation. There are links to them only while it runs: JUnit warns of those that lead out of its folder. */
    private static final List<String> LINKED = List.of("conf", "profiles");

    private final Path home;
    private final Path installation;
    private final Path folder;

    private PluginProgram(Path home, Path installation, Path folder) {
        this.home = home;
        this.installation = installation;
        this.folder = folder;
    }

    /**
     * What a run left.
     *
     * @param out its standard output
     * @param err its standard error
     */
    public record Result(int exitCode, String out, String err) {}

    /**
     * For the installation that the system property {@code hirundo.home} names, and the classes in {@code target/classes}, as projects of
     * {@code plugin new} have them.
     *
     * @param folder empty; runs work in it
     */
    public static PluginProgram in(Path folder) throws IOException {
        String home = System.getProperty("hirundo.home");
        if (home == null) {
            throw new IllegalStateException(
                    "the system property hirundo.home is not set (allowed: the folder of an installation); run this test by Maven");
        }
        // Maven's name for the folder of the project, which is not always the current one.
        return of(Path.of(home), Path.of(System.getProperty("basedir", ""), "target", "classes"), folder);
    }

    /**
     * For a given installation.
     *
     * @param classes of the plugin, with {@code META-INF/MANIFEST.MF}
     * @param folder empty; runs work in it
     */
    public static PluginProgram of(Path installation, Path classes, Path folder) throws IOException {
        Path launcher = installation.resolve("bin/launcher.jar");
        if (!Files.isRegularFile(launcher)) {
            throw new IllegalArgumentException("hirundo.home: " + installation
                    + " is wrong (allowed: the folder of an installation); it has no bin/launcher.jar");
        }
        Path home = Files.createDirectory(folder.toRealPath().resolve("hirundo"));
        jar(classes, Files.createDirectory(home.resolve("plugins")).resolve("plugin.jar"));
        return new PluginProgram(home, installation.toRealPath(), folder);
    }

    private static void jar(Path classes, Path jar) throws IOException {
        Path manifest = Path.of("META-INF/MANIFEST.MF");
        try (InputStream in = Files.newInputStream(classes.resolve(manifest));
                var out = new JarOutputStream(Files.newOutputStream(jar), new Manifest(in));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile).sorted()::iterator) {
                Path name = classes.relativize(file);
                if (!name.equals(manifest)) {
                    out.putNextEntry(new ZipEntry(name.toString().replace('\\', '/')));
                    Files.copy(file, out);
                    out.closeEntry();
                }
            }
        }
    }

    /** Runs a command and waits for its end, two minutes at most. */
    public Result run(String... command) throws IOException, InterruptedException {
        try {
            for (String part : LINKED) {
                Files.createSymbolicLink(home.resolve(part), installation.resolve(part));
            }
            return start(command);
        } finally {
            for (String part : LINKED) {
                Files.deleteIfExists(home.resolve(part));
            }
        }
    }

    private Result start(String... command) throws IOException, InterruptedException {
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        Process process = new ProcessBuilder(line(command))
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        process.getOutputStream().close();
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        var result = new Result(process.exitValue(), Files.readString(out), Files.readString(err));
        if (!ended) {
            throw new AssertionError("no end within " + LIMIT_SECONDS + " s: " + result);
        }
        return result;
    }

    /** The start of the script {@code bin/hirundo}; without the optimizing compiler, which does not pay in a run of seconds. */
    private List<String> line(String... command) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Dhirundo.home=" + home,
                "-Dhirundo.cache=" + folder.resolve("cache"),
                "-Dhirundo.terminal=false"));
        Path archive = installation.resolve("cache/classes.jsa");
        if (Files.isReadable(archive)) {
            line.add("-XX:SharedArchiveFile=" + archive);
        }
        Path bin = installation.resolve("bin");
        line.addAll(List.of(
                "-cp",
                bin.resolve("launcher.jar") + System.getProperty("path.separator") + bin.resolve("framework.jar"),
                "io.hirundo.launcher.Main",
                "--profile",
                "minimal"));
        line.addAll(List.of(command));
        return line;
    }
}
