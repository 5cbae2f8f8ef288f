package io.hirundo.itests.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.example.relu.ComposedRelu;
import org.example.relu.ReluFactory;
import org.example.reluhost.HostRelu;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A layer of a third party whose kernels no device has: composed kernels of its bundle, then those that another bundle brings for the CPU. */
class KernelBundlesIT {
    private static final String VERSIONS = ";version=\"[0.27,1)\"";

    @TempDir
    private Path folder;

    private static String imports(String... packages) {
        return String.join(
                ",",
                Stream.of(packages)
                        .map(each -> each.startsWith("io.hirundo.lib") ? each : each + VERSIONS)
                        .toList());
    }

    private static PluginJar layers() {
        PluginJar jar = new PluginJar("org.example.relu", "1.0.0")
                .header(
                        "Import-Package",
                        imports(
                                "io.hirundo",
                                "io.hirundo.device",
                                "io.hirundo.kernel",
                                "io.hirundo.kernel.attention",
                                "io.hirundo.kernel.provider",
                                "io.hirundo.lib.transformer.block",
                                "io.hirundo.model",
                                "io.hirundo.model.layer",
                                "io.hirundo.model.parameter",
                                "io.hirundo.parallel",
                                "io.hirundo.strategy",
                                "io.hirundo.tensor"))
                .header("Export-Package", "org.example.relu")
                .strategy(ReluFactory.class, "architecture", "relu-decoder");
        for (String name : List.of(
                "ReluFactory$Model",
                "Relu",
                "Relu$Running",
                "Relu$Provider",
                "ReluBlock",
                "ReluKernels",
                "ComposedRelu$Kernels")) {
            jar.code("org.example.relu." + name);
        }
        return jar;
    }

    private static PluginJar kernelsOfTheCpu() {
        return new PluginJar("org.example.reluhost", "1.0.0")
                .header(
                        "Import-Package",
                        imports(
                                        "io.hirundo.device",
                                        "io.hirundo.kernel.host",
                                        "io.hirundo.kernel.provider",
                                        "io.hirundo.precision",
                                        "io.hirundo.strategy",
                                        "io.hirundo.tensor")
                                + ",org.example.relu")
                .strategy(HostRelu.class, "kernels", "relu-host")
                .code("org.example.reluhost.HostRelu$Kernels")
                .code("org.example.reluhost.HostRelu$Kernels$Range");
    }

    @Test
    void layerRunsOnComposedKernelsAndThenOnThoseOfTheDevice() throws Exception {
        Path home = Profiles.copyOfDistro(folder.resolve("hirundo"));
        Path jar = home.resolve("plugins/layers.jar");
        layers().drop(jar);
        try (InProcess hirundo = start("none", home)) {
            Program.Result plan = run(hirundo, arguments("plan", "none"));
            assertEquals(78, plan.exitCode(), plan::toString);
            String missing =
                    "device: layer model.layers.0.relu needs ReluKernels, which device cpu lacks (no bundle provides them)";
            assertTrue(plan.err().contains(missing), plan::toString);
        }

        layers().strategy(ComposedRelu.class, "kernels", "relu-composed").drop(jar);
        List<Double> composed;
        try (InProcess hirundo = start("composed", home)) {
            composed = losses(
                    hirundo,
                    "composed",
                    "ReluKernels by relu-composed of org.example.relu 1.0.0, composed of ArithmeticKernels and ElementwiseKernels;"
                            + " no bundle brings faster ones for cpu");
            Program.Result plan = run(hirundo, arguments("plan", "composed"));
            assertEquals(0, plan.exitCode(), plan::toString);
        }

        kernelsOfTheCpu().drop(home.resolve("plugins/kernels.jar"));
        try (InProcess hirundo = start("fast", home)) {
            List<Double> fast = losses(
                    hirundo,
                    "fast",
                    "ReluKernels by relu-host of org.example.reluhost 1.0.0, fast; not by relu-composed of org.example.relu 1.0.0"
                            + " (relu-host is preferred)");
            assertEquals(composed, fast, "neither rounds");
            Program.Result plugins = run(hirundo, "plugins");
            assertTrue(plugins.out().contains("relu-host"), plugins::toString);
        }
    }

    private InProcess start(String name, Path home) throws Exception {
        return InProcess.start(Files.createDirectory(folder.resolve("process of " + name)), home, "minimal");
    }

    private static Program.Result run(InProcess hirundo, String... arguments) throws Exception {
        return hirundo.run(Program.LIMIT, List.of(arguments)).orElseThrow();
    }

    private List<Double> losses(InProcess hirundo, String name, String kernels) throws Exception {
        Program.Result trained = run(hirundo, arguments("train", name));
        assertEquals(0, trained.exitCode(), trained::toString);
        Path run = folder.resolve("runs").resolve(name);
        String log = log(run);
        assertTrue(log.contains("device cpu: " + kernels), log);
        List<Double> losses = Metrics.of(run).losses();
        assertEquals(3, losses.size());
        return losses;
    }

    /** Of both ranks: one of them logs the line. */
    private static String log(Path run) throws IOException {
        return Files.readString(run.resolve("rank-0/log.txt")) + Files.readString(run.resolve("rank-1/log.txt"));
    }

    private String[] arguments(String command, String name) {
        var arguments = new ArrayList<>(List.of(command));
        arguments.add(Profiles.distro()
                .resolve("../../../examples/synthetic.yaml")
                .normalize()
                .toString());
        arguments.addAll(TinyTraining.set(List.of(
                "run.directory=" + folder.resolve("runs"),
                "run.name=" + name,
                "model.architecture={name: relu-decoder}",
                "training.steps=3",
                "training.sequenceTokens=16",
                "training.microBatch=1",
                "training.globalBatch=2",
                "evaluation.samples=2",
                "mesh.tensor=2",
                "mesh.data=1",
                "device.options.workers=1",
                "device.options.kernels=reference",
                "model.export=false",
                "monitors=[jsonl]")));
        return arguments.toArray(String[]::new);
    }
}
