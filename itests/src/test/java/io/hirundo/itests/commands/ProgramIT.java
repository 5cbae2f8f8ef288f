package io.hirundo.itests.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.plugin.PluginJar;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.example.acme.AcmeFactory;
import org.example.acme.EndlessStart;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Constants;

/** The launcher and the command line from outside: its output streams and exit codes. */
class ProgramIT {
    @TempDir
    private Path folder;

    @Test
    void everyProfileStartsAndLeavesNothingInTheTemporaryFolder() throws Exception {
        Program.Result version = inOwnTemporaryFolder("--profile", "minimal", "--version");
        assertTrue(version.out().startsWith("hirundo 0."), version::toString);

        Program.Result help = inOwnTemporaryFolder("--help");
        assertTrue(help.out().contains("Usage: hirundo"), help::toString);
        assertTrue(help.out().replaceAll("\\s+", " ").contains("of cpu, cuda, minimal. Default: cpu."), help::toString);

        Program.Result doctor = inOwnTemporaryFolder("--profile", "cuda", "doctor");
        assertTrue(
                hasNvidiaDriver()
                        || unwrapped(doctor.out())
                                .contains("there is no NVIDIA driver (libcuda.so.1 cannot be opened)"),
                doctor::toString);
    }

    /** With the lines of each finding joined. */
    static String unwrapped(String findings) {
        return findings.replaceAll("\n {21}", " ");
    }

    private Program.Result inOwnTemporaryFolder(String... command) throws Exception {
        Path temporary = Files.createTempDirectory(folder, "temporary");
        Program.Result result = Program.installed(folder)
                .start(Map.of("TMPDIR", temporary.toString()), command)
                .await();

        assertEquals(0, result.exitCode(), result::toString);
        try (Stream<Path> left = Files.list(temporary)) {
            assertEquals(List.of(), left.toList(), result::toString);
        }
        return result;
    }

    @Test
    void aResultThatCannotBeWrittenIsAFailure() throws Exception {
        assertUnwritten("plugins");
        // The help is printed by picocli, not by a command; the bundles of this profile start soonest.
        assertUnwritten("--profile", "minimal", "--help");
    }

    private void assertUnwritten(String... command) throws Exception {
        Program.Result result = throughShell("exec \"$@\" > /dev/full", command);

        assertEquals(73, result.exitCode(), result::toString);
        assertEquals(
                1,
                result.err()
                        .lines()
                        .filter(line -> line.startsWith("hirundo: cannot write to standard output"))
                        .count(),
                result::toString);
    }

    @Test
    void aReaderThatHasReadEnoughIsNone() throws Exception {
        Program.Result result = throughShell("{ \"$@\"; echo $? >&2; } | true", "plugins");

        assertTrue(result.err().endsWith("0\n"), result::toString);
        assertFalse(result.err().contains("hirundo:"), result::toString);
    }

    private Program.Result throughShell(String script, String... command) throws Exception {
        return Program.installed(folder)
                .startWith(List.of("sh", "-c", script, "sh"), Map.of(), command)
                .await();
    }

    @Test
    void anUnknownCommandIsNamed() throws Exception {
        Program.Result result = InProcess.command("no-such-command");

        assertEquals(2, result.exitCode(), result::toString);
        assertEquals("", result.out());
        assertTrue(result.err().contains("no-such-command"), result::toString);
    }

    @Test
    @DisabledIf("hasNvidiaDriver")
    void withoutAGpuTheSuiteForGpusSaysSoInOneLine() throws Exception {
        // The family must take the options of all parts, which are checked first.
        Program.Result result = Program.installed(folder).run("gpu-suite", "--architecture", "qwen");

        assertEquals(71, result.exitCode(), result::toString);
        assertTrue(
                result.err()
                        .contains("there is no device cuda: there is no NVIDIA driver (libcuda.so.1 cannot be opened)"),
                result::toString);
    }

    static boolean hasNvidiaDriver() {
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup.libraryLookup("libcuda.so.1", arena);
            return true;
        } catch (IllegalArgumentException none) {
            return false;
        }
    }

    @Test
    void whatMultipliesMatricesIsSaidWithItsReason() throws Exception {
        Program program = Program.installed(folder);
        Map<String, String> environment = Map.of("DNNL_MAX_CPU_ISA", "SSE41");

        Program.Result rejected = program.start(environment, training("device.options.gemm=onednn"))
                .await();
        assertEquals(78, rejected.exitCode(), rejected::toString);
        assertTrue(rejected.err().contains("set device.options.gemm to auto"), rejected::toString);
        Program.Result trained =
                program.start(environment, training("training.steps=2")).await();
        assertEquals(0, trained.exitCode(), trained::toString);
        List<String> reasons = Files.readAllLines(folder.resolve("runs/synthetic/rank-0/log.txt")).stream()
                .filter(line -> line.contains("GEMMs by "))
                .toList();
        assertEquals(1, reasons.size(), reasons::toString);
        assertTrue(
                reasons.getFirst().contains("device cpu: GEMMs by the Vector API: not by onednn ("), reasons::toString);

        // On this processor, whose reasons are its own: the doctor asks the profile's library.
        Program.Result doctor = InProcess.command("doctor");
        assertTrue(
                unwrapped(doctor.out()).lines().anyMatch(line -> line.matches("(?i).*GEMMs .*by onednn .*")),
                doctor::toString);
    }

    private static String[] training(String setting) {
        return TinyTraining.arguments(256, List.of("device.options.kernels=vector", setting))
                .toArray(String[]::new);
    }

    @Test
    void anUnknownProfileIsAnsweredWithThoseThatAreThere() throws Exception {
        Program.Result result = Program.installed(folder).run("--profile", "no-such-profile", "--version");

        assertEquals(78, result.exitCode(), result::toString);
        assertTrue(result.err().contains("(allowed: [cpu, cuda, minimal])"), result::toString);
    }

    @Test
    void pluginsThatCannotServeAreLeftOutWithALineEachButNotByATraining() throws Exception {
        Program own = Program.copied(folder, "home");
        dropUnusable(own);

        Program.Result doctor = own.run("--profile", "minimal", "doctor");
        assertEquals(0, doctor.exitCode(), doctor::toString);
        assertTrue(
                unwrapped(doctor.out()).contains("GEMMs by the Vector API: no bundle offers a library"),
                doctor::toString);
        assertUnusableAreNamed(own, doctor);

        Program.Result help = own.run("--profile", "minimal", "train", "--help");
        assertEquals(0, help.exitCode(), help::toString);
        assertTrue(help.out().contains("Usage: hirundo train"), help::toString);
        assertUnusableAreNamed(own, help);

        Program.Result quickstart = own.run("--profile", "minimal", "quickstart");
        assertEquals(78, quickstart.exitCode(), quickstart::toString);
        assertEquals("", quickstart.out());
        assertUnusableAreNamed(own, quickstart);
    }

    @Test
    void pluginsWithBrokenComponentsOrAnEndlessStartAreNamedAndOneWhoseNameIsTakenIsListedAsHidden() throws Exception {
        Program own = Program.copied(folder, "home");
        PluginJar.precision("example.absent", "1.0.0", "absent", AcmeFactory.class)
                .without(AcmeFactory.class)
                .drop(own.plugin("absent.jar"));
        PluginJar.precision("example.broken", "1.0.0", "broken", AcmeFactory.class)
                .text(PluginJar.COMPONENT, "<component")
                .drop(own.plugin("broken.jar"));
        new PluginJar("example.endless", "1.0.0").activator(EndlessStart.class).drop(own.plugin("endless.jar"));
        new PluginJar("example.missing", "1.0.0")
                .header("Service-Component", "OSGI-INF/none.xml")
                .drop(own.plugin("missing.jar"));
        PluginJar.precision("example.older", "1.0.0", "older", AcmeFactory.class)
                .header(Constants.IMPORT_PACKAGE, "io.hirundo.precision;version=\"[0.9,1)\"")
                .drop(own.plugin("older.jar"));
        PluginJar.precision("example.second", "1.0.0", "fp32", AcmeFactory.class)
                .drop(own.plugin("second.jar"));
        PluginJar.precision("example.unlicensed", "1.0.0", "unlicensed", AcmeFactory.Unlicensed.class)
                .drop(own.plugin("unlicensed.jar"));

        Map<String, String> limit = Map.of("HIRUNDO_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -Dhirundo.start.seconds=2");
        Program.Result training =
                own.start(limit, "--profile", "minimal", "train").await();
        Program.Result listing =
                own.start(limit, "--profile", "minimal", "plugins").await();

        assertEquals(78, training.exitCode(), training::toString);
        assertEquals("", training.out());
        assertComponentsAreNamed(training);
        assertEquals(0, listing.exitCode(), listing::toString);
        List<String> fp32 = listing.out()
                .lines()
                .filter(line -> line.matches("precision +fp32 .*"))
                .toList();
        assertEquals(2, fp32.size(), listing::toString);
        assertTrue(fp32.getFirst().matches("\\S+ +fp32 +io[.]hirundo[.]precision-native \\S+"), listing::toString);
        assertTrue(
                fp32.getLast()
                        .matches("\\S+ +fp32 +example.second 1.0.0  [(]hidden by io[.]hirundo[.]precision-native .*"),
                listing::toString);
        assertEquals(
                1,
                listing.out().lines().filter(line -> line.contains("example.")).count(),
                listing::toString);
        assertComponentsAreNamed(listing);
    }

    private static void assertComponentsAreNamed(Program.Result result) {
        List<String> said =
                result.err().lines().filter(line -> line.startsWith("hirundo:")).toList();
        assertEquals(6, said.size(), result::toString);
        List<String> reasons = List.of(
                "absent.jar cannot be used: its component description OSGI-INF/component.xml names the class "
                        + AcmeFactory.class.getName() + ", which is not in it",
                "broken.jar cannot be used: its component description OSGI-INF/component.xml cannot be read, line 1: ",
                "endless.jar cannot be used: its activator " + EndlessStart.class.getName()
                        + " has not returned within 2 s",
                "missing.jar cannot be used: its header Service-Component names OSGI-INF/none.xml, which is not in it",
                "older.jar cannot be used: it was built for version 0.9.0 of io.hirundo.precision, and the API has changed incompatibly since",
                "unlicensed.jar cannot be used: its component " + AcmeFactory.Unlicensed.class.getName()
                        + " cannot be activated: no license for this machine");
        for (int line = 0; line < reasons.size(); line++) {
            assertTrue(said.get(line).startsWith("hirundo: plugins/" + reasons.get(line)), result::toString);
            assertTrue(said.get(line).endsWith("; repair it, or remove it"), result::toString);
        }
    }

    /** One that needs what nobody has, one for another major version of the API, one cut short, and one twice. */
    private static void dropUnusable(Program program) throws IOException {
        new PluginJar("example.lonely", "1.0.0")
                .header(Constants.IMPORT_PACKAGE, "no.such.place;version=\"[2,3)\"")
                .drop(program.plugin("lonely.jar"));
        new PluginJar("example.newer", "1.0.0")
                .header(Constants.IMPORT_PACKAGE, "io.hirundo.precision;version=\"[2,3)\"")
                .drop(program.plugin("newer.jar"));
        PluginJar sound = new PluginJar("example.sound", "1.0.0");
        sound.drop(program.plugin("a.jar"));
        sound.drop(program.plugin("b.jar"));
        PluginJar.drop(Arrays.copyOf(sound.bytes(), sound.bytes().length / 2), program.plugin("cut.jar"));
    }

    private static void assertUnusableAreNamed(Program own, Program.Result result) {
        List<String> said = result.err()
                .lines()
                .filter(line -> line.startsWith("hirundo:"))
                // Independent of the package's current version.
                .map(line -> line.replaceFirst("available: 0[.]\\d+[.]0 of", "available: 0.N of"))
                .toList();
        String build = ". Build it for the available versions, add what is missing, or remove it";
        assertEquals(
                List.of(
                        "hirundo: plugins/b.jar is a second copy of example.sound 1.0.0, which plugins/a.jar holds: remove one",
                        "hirundo: plugins/cut.jar is not a jar (zip END header not found): remove it or copy it again",
                        "hirundo: bundle example.lonely (" + own.plugin("lonely.jar")
                                + ") does not resolve: nothing provides package no.such.place,"
                                + " version >= 2.0.0 and < 3.0.0" + build,
                        "hirundo: bundle example.newer (" + own.plugin("newer.jar")
                                + ") does not resolve: nothing provides package io.hirundo.precision,"
                                + " version >= 2.0.0 and < 3.0.0 (available: 0.N of io.hirundo.api)" + build),
                said,
                result::toString);
    }
}
