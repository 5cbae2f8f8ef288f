package io.hirundo.trainer.internal.export;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.data.Tokenizer;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.event.TrainingEvent.ModelCompared;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.trainer.internal.fixture.CrookedFormat;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.ToyTokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Converts checkpoints to models in less memory than the model needs. */
class CheckpointExportTest {
    private static final CrookedFormat STRAIGHT = new CrookedFormat(false, false);
    private static final int STEPS = 2;

    @TempDir
    private Path folder;

    /** A CPU with less memory. */
    private record SmallDevice(ComputeBackend cpu, long memoryBytes) implements ComputeBackend {
        @Override
        public List<DeviceInfo> devices() {
            DeviceInfo info = cpu.devices().getFirst();
            return List.of(new DeviceInfo(info.backend(), info.ordinal(), info.name(), info.arch(), memoryBytes));
        }

        @Override
        public MemoryProfile memoryProfile() {
            return cpu.memoryProfile();
        }

        @Override
        public Device open(int ordinal, DeviceLedger ledger) {
            return cpu.open(ordinal, ledger);
        }
    }

    private SteeredRun run(String precision, ModelFormat format, double tolerance) {
        var run = new SteeredRun(folder).model(format, null, tolerance);
        run.with("training", Map.of("steps", STEPS, "sequenceTokens", 16, "globalBatch", 4));
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        run.with("checkpoint", Map.of("strategy", Map.of("name", "sync")));
        run.with("precision", Map.of("name", precision));
        return run;
    }

    private Path checkpoint() {
        return folder.resolve("steered/checkpoints/step-%08d".formatted(STEPS));
    }

    @Test
    void convertsInWindowsToTheModelOfTheRun() throws IOException {
        var run = run("bf16", STRAIGHT, 0.05)
                .with("mesh", Map.of("data", 2, "tensor", 2))
                .run();

        for (long windowBytes : new long[] {1, 5000, 1L << 20}) {
            Path into = folder.resolve("converted-" + windowBytes);
            var written = new CheckpointExport(run.catalog, run.configuration(), windowBytes).write(checkpoint(), into);
            assertEquals(STEPS, written.step());
            assertTrue(written.compared().isPresent());
            for (String file : List.of("config.json", "model.safetensors")) {
                assertArrayEquals(
                        Files.readAllBytes(folder.resolve("steered/model").resolve(file)),
                        Files.readAllBytes(into.resolve(file)),
                        file);
            }
        }
    }

    /** Block-by-block evaluation computes the same sums as evaluation of the full model. */
    @ParameterizedTest
    @ValueSource(strings = {"fp32", "fp8-blockwise"})
    void computesTheModelsLossesBlockByBlock(String precision) {
        var run = run(precision, STRAIGHT, 0.5).run();
        ModelCompared byTheRun = run.events(ModelCompared.class).getFirst();

        var byBlocks =
                new CheckpointExport(run.catalog, run.configuration()).write(checkpoint(), folder.resolve("converted"));

        assertEquals(byTheRun.difference(), byBlocks.compared().orElseThrow().difference());
    }

    @Test
    void convertsAModelLargerThanTheDevice() {
        var run = run("fp32", STRAIGHT, 1e-4).with("mesh", Map.of("tensor", 2)).run();
        var resolver = new StrategyResolver(run.catalog);
        var architecture = resolver.model(run.configuration()).architecture();
        long modelBytes = 4 * ModelTensors.parameters(architecture.describe());
        var cpu = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
        long workspaceBytes = cpu.memoryProfile().workspaceBytes();
        run.catalog.add(
                "device",
                "small",
                new Fixed<>(ComputeBackend.class, new SmallDevice(cpu, workspaceBytes + modelBytes / 2)));
        var configuration = run.with("device", Map.of("name", "small")).configuration();

        var written = new CheckpointExport(run.catalog, configuration, 10_000)
                .write(checkpoint(), folder.resolve("converted"));

        assertTrue(written.compared().orElseThrow().difference() < 1e-4);
        var compute = resolver.resolve(configuration).compute();
        var parallel = resolver.parallel(new MeshSection());
        assertThrows(
                DeviceException.class,
                () -> RankModel.openAlone(compute, parallel, architecture).close());
    }

    @Test
    void discardsFilesThatFailTheParityCheck() {
        run("fp32", STRAIGHT, 1e-4).run();
        var other = run("fp32", new CrookedFormat(false, true), 1e-4);
        Path into = folder.resolve("converted");
        assertThrows(
                StorageException.class,
                () -> new CheckpointExport(other.catalog, other.configuration()).write(checkpoint(), into));
        assertFalse(Files.exists(into));
    }

    @Test
    void writesNoModelWithoutItsTokenizer() {
        var run = run("fp32", STRAIGHT, 1e-4);
        var tokenizer = new ToyTokenizer(96);
        run.catalog.add("tokenizer", "toy", new Fixed<>(Tokenizer.class, tokenizer));
        run.with(
                "data",
                Map.of(
                        "source",
                        Map.of("name", "synthetic", "options", Map.of("vocabulary", 96)),
                        "tokenizer",
                        Map.of("name", "toy")));
        run.run();
        Path into = folder.resolve("converted");
        tokenizer.isGone = true;
        assertThrows(
                StorageException.class,
                () -> new CheckpointExport(run.catalog, run.configuration()).write(checkpoint(), into));
        assertFalse(Files.exists(into));
    }
}
