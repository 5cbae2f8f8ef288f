package io.hirundo.itests.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The scripts that start the program, in unusual environments, for instance without HOME. Where the arguments of the JVM show what a
 * script does, a shell script that prints them replaces it.
 */
class LauncherScriptIT {
    private static final Path SCRIPT = Profiles.distro().resolve("bin/hirundo");
    private static final Path JDK = Path.of(System.getProperty("java.home"));

    @TempDir
    private Path folder;

    @Test
    void withoutAHomeWhatIsKeptIsInATemporaryFolderOfTheUser() throws Exception {
        for (Path jdk : List.of(JDK, jdk("printing", "25.0.1"))) {
            Program.Result result =
                    run(Map.of("JAVA_HOME", jdk.toString(), "TMPDIR", folder.toString()), SCRIPT, "--version");

            assertEquals(0, result.exitCode(), result::toString);
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(temporaryCache())));
            assertTrue(
                    jdk.equals(JDK) || result.out().contains("\n-Dhirundo.cache=" + temporaryCache() + "\n"),
                    result::toString);
        }
    }

    @Test
    void aTemporaryFolderThatSomebodyElseMayHaveMadeIsNotUsed() throws Exception {
        Files.createSymbolicLink(temporaryCache(), Files.createDirectory(folder.resolve("trap")));

        Program.Result result =
                run(Map.of("JAVA_HOME", JDK.toString(), "TMPDIR", folder.toString()), SCRIPT, "--version");

        assertEquals(78, result.exitCode(), result::toString);
        assertTrue(
                result.err()
                        .contains(
                                temporaryCache() + " cannot be created or belongs to another user: set HIRUNDO_CACHE"),
                result::toString);
    }

    /** Each start loads code from the class archive. */
    @Test
    void nobodyElseMayWriteTheClassArchive() throws Exception {
        Path home = Profiles.copyOfDistro(folder.resolve("distro"));
        List<String> permissive = List.of("sh", "-c", "umask 000; exec \"$0\" --version");

        assertEquals(
                0,
                new Program(home, folder)
                        .startWith(permissive, Map.of())
                        .await()
                        .exitCode());

        assertEquals("rwxr-xr-x", PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("cache"))));
        assertEquals(
                "rw-r--r--",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("cache/classes.jsa"))));
    }

    /** The script rejects it, so no JVM starts. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-Xmx24m",
                "-Xmx25165824",
                "-Xmx24576k",
                "-XX:MaxHeapSize=25165824",
                "-Xmx64m -Dx=y -Xmx67108863",
            })
    void aHeapThatIsTooSmallIsRejected(String options) throws Exception {
        Program.Result result = Program.installed(folder)
                .start(Map.of("HIRUNDO_JAVA_OPTS", options), "--version")
                .await();

        assertEquals(78, result.exitCode(), result::toString);
        assertEquals(
                "hirundo: HIRUNDO_JAVA_OPTS: " + options.replaceFirst(".* ", "")
                        + " is too small (allowed: 64 MB or more); give -Xmx256m, or leave it out\n",
                result.err());
    }

    @Test
    void tooFewOpenFilesAreRejectedWithTheRemedy() throws Exception {
        List<String> fewFiles = List.of("sh", "-c", "ulimit -n 64; exec \"$0\" plugins");

        Program.Result result =
                Program.installed(folder).startWith(fewFiles, Map.of()).await();

        assertEquals(78, result.exitCode(), result::toString);
        assertTrue(
                result.err().endsWith("Too many open files; allow the process more open files: ulimit -n 1024\n"),
                result::toString);
    }

    @Test
    void symbolicLinksLeadToIt() throws Exception {
        Path elsewhere = Files.createDirectories(folder.resolve("else/where"));
        Files.createSymbolicLink(elsewhere.resolve("absolute"), SCRIPT);
        Files.createSymbolicLink(elsewhere.resolve("relative"), Path.of("absolute"));
        Files.createSymbolicLink(folder.resolve("hop"), Path.of("else/where/relative"));

        Map<String, String> environment =
                Map.of("JAVA_HOME", jdk("printing", "25.0.1").toString(), "HOME", folder.toString());
        Program.Result result = run(environment, folder.resolve("hop"), "--version");

        assertEquals(0, result.exitCode(), result::toString);
        Path home = Profiles.distro().toRealPath();
        assertTrue(result.out().contains("\n-Dhirundo.home=" + home + "\n"), result::toString);
        String main = "\n-cp\n" + home + "/bin/launcher.jar:" + home
                + "/bin/framework.jar\nio.hirundo.launcher.Main\n--version\n";
        assertTrue(result.out().endsWith(main), result::toString);
    }

    /** A source tree with the files by which its script recognizes a finished build. */
    private static Path builtTree(Path tree) throws IOException {
        Path source = Profiles.distro().resolve("../../..").normalize();
        for (String file : List.of("hirundo", "distro/build.sh", "distro/src/main/files/bin/find-java.sh")) {
            Files.createDirectories(tree.resolve(file).getParent());
            Files.copy(source.resolve(file), tree.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        for (String name : List.of("pom.xml", "bnd.bnd", "cnf", "bundles", "distro/target")) {
            Files.createDirectory(tree.resolve(name));
        }
        Files.createSymbolicLink(tree.resolve("distro/target/hirundo"), Profiles.distro());
        Files.createFile(tree.resolve("distro/target/built"));
        return tree;
    }

    @Test
    void linkLeadsToTheScriptOfASourceTreeAndCommandsToGoOnWithCallItAsTheUserDid() throws Exception {
        Files.createSymbolicLink(
                folder.resolve("my h"), builtTree(folder.resolve("tree")).resolve("hirundo"));
        Files.createFile(Files.createDirectory(folder.resolve("run")).resolve("config.json"));
        Files.createDirectories(folder.resolve("run/checkpoints/step-1"));
        Map<String, String> environment = Map.of("JAVA_HOME", JDK.toString(), "HOME", folder.toString());

        Program.Result result = run(environment, Path.of("./my h"), "--profile", "cuda", "attach", "run");

        assertEquals(78, result.exitCode(), result::toString);
        assertTrue(
                result.err().endsWith("continue it, type: './my h' --profile cuda train run/config.json --resume\n"),
                result::toString);
    }

    /** Maven takes an empty jar for complete, so every later start would fail. */
    @Test
    void theBuildAfterAnInterruptedOneUsesNoFileOfIt() throws Exception {
        Path tree = treeToBuild();
        Program.Result interrupted = build(tree, "mkdir -p $quick; : > $quick/some.jar; exit 130");
        assertEquals(130, interrupted.exitCode(), interrupted::toString);
        assertEquals("hirundo: the build was interrupted; the next start builds everything again\n", interrupted.err());

        Program.Result built = build(tree, "[ ! -e $quick/some.jar ]");
        assertEquals(0, built.exitCode(), built::toString);
    }

    /** A failed build leaves what its modules need not compile again. */
    @Test
    void theBuildAfterAFailedOneUsesWhatIsBuilt() throws Exception {
        Path tree = treeToBuild();
        assertEquals(
                70, build(tree, "mkdir -p $quick; : > $quick/some.jar; exit 1").exitCode());

        Program.Result built = build(tree, "[ -e $quick/some.jar ]");
        assertEquals(0, built.exitCode(), built::toString);
    }

    private Path treeToBuild() throws IOException {
        Path tree = builtTree(folder.resolve("tree"));
        Files.delete(tree.resolve("distro/target/built"));
        return tree;
    }

    /** Starts the script with a shell script in place of Maven, to which {@code $quick} is a folder of classes. */
    private Program.Result build(Path tree, String maven) throws Exception {
        Path mvn = Files.createDirectories(folder.resolve("maven")).resolve("mvn");
        Files.writeString(mvn, "#!/bin/sh\nquick=bundles/some/target/quick\n" + maven + "\n");
        Files.setPosixFilePermissions(mvn, PosixFilePermissions.fromString("rwxr-xr-x"));
        String path = mvn.getParent() + ":/usr/bin:/bin";
        return run(
                Map.of("JAVA_HOME", jdk("printing", "25.0.1").toString(), "PATH", path, "HOME", folder.toString()),
                tree.resolve("hirundo"),
                "--version");
    }

    @Test
    void acceptsOrRejectsTheUsersJdk() throws Exception {
        String none = folder.resolve("none").toString();
        String old = jdk("old", "21.0.4").toString();

        assertRejected(none, " is not a JDK 25 or newer");
        assertRejected(old, " has Java 21 and is not a JDK 25 or newer");
    }

    private void assertRejected(String jdk, String why) throws Exception {
        Map<String, String> environment =
                Map.of("HIRUNDO_JAVA_HOME", jdk, "JAVA_HOME", JDK.toString(), "HOME", folder.toString());
        Program.Result result = run(environment, SCRIPT, "--version");

        assertEquals(78, result.exitCode(), result::toString);
        assertEquals(
                "hirundo: HIRUNDO_JAVA_HOME=" + jdk + why + ": set it to the folder of one, or unset it\n",
                result.err());
    }

    @Test
    void aJavaHomeThatIsTooOldIsPassedOver() throws Exception {
        String path = jdk("printing", "25.0.1").resolve("bin") + ":/usr/bin:/bin";
        Map<String, String> environment =
                Map.of("JAVA_HOME", jdk("old", "21.0.4").toString(), "PATH", path, "HOME", folder.toString());

        Program.Result result = run(environment, SCRIPT, "--version");

        assertEquals(0, result.exitCode(), result::toString);
        assertTrue(result.out().startsWith(folder.resolve("printing/bin/java") + "\n"), result::toString);
    }

    /** Creates a folder that looks like a JDK; its {@code java} prints its path and its arguments, each in a line. */
    private Path jdk(String name, String version) throws IOException {
        Path jdk = folder.resolve(name);
        Path java = Files.createDirectories(jdk.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return jdk;
    }

    private Path temporaryCache() throws IOException {
        return folder.resolve("hirundo-cache-" + Files.getAttribute(folder, "unix:uid"));
    }

    /** Runs a program with PATH and the given environment only. */
    private Program.Result run(Map<String, String> environment, Path program, String... arguments) throws Exception {
        var command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "out-", ".txt");
        Path err = Files.createTempFile(folder, "err-", ".txt");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().putAll(environment);
        return new Program.Running(builder.start(), out, err).await();
    }
}
