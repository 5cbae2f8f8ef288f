package io.hirundo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import aQute.bnd.osgi.EmbeddedResource;
import aQute.bnd.osgi.Jar;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Manifest;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Package versions must match the API changes since the baseline (cnf/baseline); the check finds versions that are too low. */
class BaselineTest {
    private static final Path CLASSES = Path.of("target/classes");

    @TempDir
    private Path folder;

    @Test
    void packageVersionsMatchChangesSinceBaseline() throws Exception {
        try (Jar api = new Jar(CLASSES.toFile())) {
            assertEquals("", String.join("\n", Baseline.problems(api)));
        }
    }

    @Test
    void abstractMethodInConsumerTypeIsMajor() throws Exception {
        try (Jar api = new Jar(Baseline.jar().toFile())) {
            addMethod(api, "io/hirundo/model/Architecture", "void another();");
            assertProblem("io.hirundo.model", "1.0.0", "Architecture", Baseline.problems(api));
        }
    }

    @Test
    void abstractMethodInProviderTypeIsMinor() throws Exception {
        try (Jar api = new Jar(Baseline.jar().toFile())) {
            addMethod(api, "io/hirundo/device/DeviceLedger", "void another();");
            assertProblem("io.hirundo.device", "0.28.0", "DeviceLedger", Baseline.problems(api));

            setVersion(api, "io.hirundo.device", "0.28.0");
            assertEquals(List.of(), Baseline.problems(api));
        }
    }

    @Test
    void defaultMethodInConsumerTypeIsMinor() throws Exception {
        try (Jar api = new Jar(Baseline.jar().toFile())) {
            addMethod(api, "io/hirundo/optimizer/LearningRateSchedule", "default void another() {}");
            assertProblem("io.hirundo.optimizer", "0.28.0", "LearningRateSchedule", Baseline.problems(api));
        }
    }

    @Test
    void removedClassIsMajor() throws Exception {
        try (Jar api = new Jar(Baseline.jar().toFile())) {
            api.remove("io/hirundo/strategy/NoOptions.class");
            assertProblem("io.hirundo.strategy", "1.0.0", "NoOptions", Baseline.problems(api));

            setVersion(api, "io.hirundo.strategy", "0.28.0");
            assertProblem("io.hirundo.strategy", "1.0.0", "NoOptions", Baseline.problems(api));
        }
    }

    private static void assertProblem(String packageName, String version, String reason, List<String> problems) {
        assertEquals(1, problems.size(), problems::toString);
        String problem = problems.getFirst();
        assertTrue(problem.startsWith(packageName + " has changed since "), problem);
        assertTrue(problem.contains("@Version(\"" + version + "\")") && problem.contains(reason), problem);
    }

    /** Compiles an interface of the sources with an additional method, and puts it into the jar. */
    private void addMethod(Jar api, String type, String method) throws Exception {
        String source = Files.readString(Path.of("src/main/java", type + ".java"));
        Path changed = folder.resolve(type + ".java");
        Files.createDirectories(changed.getParent());
        Files.writeString(changed, source.substring(0, source.lastIndexOf('}')) + method + "\n}\n");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int failed = compiler.run(
                null,
                null,
                null,
                "-proc:none",
                "-nowarn",
                "-d",
                folder.toString(),
                "-cp",
                CLASSES + File.pathSeparator + System.getProperty("java.class.path"),
                changed.toString());
        assertEquals(0, failed, "javac");
        api.putResource(type + ".class", new EmbeddedResource(Files.readAllBytes(folder.resolve(type + ".class")), 0));
    }

    private static void setVersion(Jar api, String packageName, String version) throws Exception {
        Manifest manifest = api.getManifest();
        String exports = manifest.getMainAttributes().getValue("Export-Package");
        String raised = exports.replaceFirst(
                "(^|,)(" + packageName.replace(".", "[.]") + ";[^,]*?version=\")[^\"]*", "$1$2" + version);
        assertTrue(!raised.equals(exports), exports);
        manifest.getMainAttributes().putValue("Export-Package", raised);
        api.setManifest(manifest);
    }
}
