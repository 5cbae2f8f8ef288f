package io.hirundo.gpusuite.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.gpusuite.internal.kernels.KernelCase;
import io.hirundo.gpusuite.internal.kernels.KernelCases;
import io.hirundo.gpusuite.internal.kernels.KernelPart;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.model.Architecture;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command-line options. */
class GpuSuiteCommandTest {
    @TempDir
    private Path folder;

    @Test
    void leavesOutCasesByName() {
        var command = new GpuSuiteCommand(null, null, null);
        new picocli.CommandLine(command).parseArgs("--without", "attention,quantize");
        var all = KernelCases.forGpu();
        var left = ((KernelPart) command.parts(null, null, null, null).getFirst()).cases();
        assertEquals(
                names(all.stream()
                        .filter(one -> !one.name().matches(".*(attention|quantize).*"))
                        .toList()),
                names(left));
        assertTrue(left.size() < all.size(), left.size() + " cases");
    }

    @Test
    void rejectsNamesThatMatchNoCase() {
        var command = new GpuSuiteCommand(null, null, null);
        new picocli.CommandLine(command).parseArgs("--without", "attention,atention");
        var failure = assertThrows(ConfigurationException.class, () -> command.parts(null, null, null, null));
        assertEquals("--without: no kernel case has atention in its name", failure.getMessage());
    }

    @Test
    void checksWhatWantedPartsTrainBeforeItOpensTheDevice() {
        var model = assertThrows(ConfigurationException.class, () -> start("model"));
        assertEquals("--architecture: other has other options", model.getMessage());
        var kernels = assertThrows(ConfigurationException.class, () -> start("kernels"));
        assertEquals("opens", kernels.getMessage());
    }

    /** With a registry that rejects each architecture, and a device that cannot be opened. */
    private void start(String part) {
        ComputeBackend backend = (ComputeBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ComputeBackend.class}, (proxy, method, arguments) -> {
                    throw new ConfigurationException("opens");
                });
        var registry = new StrategyRegistry() {
            @Override
            public List<StrategyInfo> list() {
                return List.of();
            }

            @Override
            public <S> S create(Class<S> contract, Choice choice, String path) {
                if (contract == Architecture.class) {
                    assertEquals(256, choice.options().get("hiddenSize"));
                    throw new ConfigurationException(path + ": " + choice.name() + " has other options");
                }
                return contract.cast(backend);
            }
        };
        var command = new GpuSuiteCommand(registry, null, null);
        new picocli.CommandLine(command)
                .parseArgs(
                        "--parts",
                        part,
                        "--architecture",
                        "other",
                        "--device",
                        "cpu",
                        "--report",
                        folder.resolve("report.md").toString());
        command.call();
    }

    private static List<String> names(List<KernelCase> cases) {
        return cases.stream().map(KernelCase::name).toList();
    }

    /** Including the time by which a part may exceed its limit. */
    @Test
    void allPartsFitIntoTenMinutes() {
        List<Part> all = new GpuSuiteCommand(null, null, null).parts(null, null, null, null);
        int seconds = all.stream().mapToInt(Part::limitSeconds).sum();
        assertTrue(seconds <= 10 * 60 - 40, seconds + " s");
    }
}
