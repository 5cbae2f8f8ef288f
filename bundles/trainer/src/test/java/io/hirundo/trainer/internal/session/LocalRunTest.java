package io.hirundo.trainer.internal.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointhf.internal.format.HuggingFaceFactory;
import io.hirundo.checkpointhf.internal.format.HuggingFaceOptions;
import io.hirundo.data.DataCursor;
import io.hirundo.data.DataSource;
import io.hirundo.data.SampleSet;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.learningrate.internal.ConstantFactory;
import io.hirundo.learningrate.internal.ConstantOptions;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.section.ModelSection;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.World;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.TestParallel;
import io.hirundo.trainer.internal.fixture.TinyRun;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A run opens devices, memory and files. If opening fails at any point, none of them stays open. */
class LocalRunTest {
    private static final int TOKENS = 32;

    private int opened;
    private int closed;
    private Fabric fabric = TestParallel.fabric();
    private ModelFormat format = new NoModels();
    private boolean export;
    private boolean seeks;

    /** Its tokens are beyond the vocabulary. */
    private long ruined = -1;

    private LearningRateSchedule rate = new ConstantFactory().create(new ConstantOptions());
    private Optimizer optimizer = new AdamWFactory().create(new AdamWOptions());
    private final Map<String, DataSource> watched = new LinkedHashMap<>(Map.of("first", request -> samples()));

    @Test
    void closesAllThatItOpened() {
        open().close();

        assertEquals(3, opened, "a device, the data and a watched source");
        assertEquals(3, closed);
    }

    @Test
    void closesAllIfTheWorldCannotBeJoined() {
        fabric = new Unreachable();

        assertThrows(CommunicationException.class, this::open);
        assertEquals(3, opened);
        assertEquals(3, closed);
    }

    @Test
    void closesAllIfTheOptimizerCannotBeBound() {
        optimizer = (device, parameters) -> {
            throw new IllegalStateException("no such optimizer");
        };

        assertThrows(IllegalStateException.class, this::open);
        assertEquals(3, opened);
        assertEquals(3, closed);
    }

    @Test
    void closesAllIfWatchedDataCannotBeOpened() {
        watched.put("second", request -> {
            throw new DataException("no such data");
        });

        assertThrows(DataException.class, this::open);
        assertEquals(2, opened);
        assertEquals(2, closed);
    }

    @Test
    void closesAllIfTheModelCannotBeRead() {
        assertThrows(DataException.class, () -> open(new MeshSection(), "no-such-model"));
        assertEquals(3, opened);
        assertEquals(3, closed);
    }

    @Test
    void rejectsAnExportForAnotherArchitectureBeforeItOpensAnything() {
        export = true;
        format = new HuggingFaceFactory(List.of(new LlamaFactory())).create(new HuggingFaceOptions());

        var failure = assertThrows(ConfigurationException.class, this::open);
        assertEquals(
                "model.format: huggingface writes models of the families llama, not acme; set model.export to false or choose another format",
                failure.getMessage());
        assertEquals(0, opened);
    }

    @Test
    void rejectsAnInvalidLearningRateBeforeItOpensAnything() {
        rate = (step, steps) -> step == 3 ? Double.NaN : 0.1;

        var failure = assertThrows(ConfigurationException.class, this::open);
        assertEquals("learningRate: NaN at step 3; allowed: a finite number of at least 0", failure.getMessage());
        assertEquals(0, opened);
    }

    @Test
    void rejectsATokenBeyondTheVocabularyBeforeItOpensADevice() {
        ruined = 5;

        var failure = assertThrows(DataException.class, this::open);
        assertEquals(
                "sample 5 holds token 256, outside the model's vocabulary of 256; tokenize the data with the model's tokenizer",
                failure.getMessage());
        assertEquals(2, opened, "data and a watched source");
    }

    @Test
    void resumedRunChecksTheSamplesThatItReadsNext() {
        seeks = true;
        ruined = 3;
        try (LocalRun run = open()) {
            run.seek(2, DataCursor.BEGINNING);
            var failure = assertThrows(DataException.class, () -> run.seek(1, DataCursor.BEGINNING));
            assertTrue(failure.getMessage().startsWith("sample 3 holds token 256"), failure.getMessage());
        }
    }

    private LocalRun open() {
        return open(new MeshSection(), null);
    }

    private LocalRun open(MeshSection mesh, String from) {
        var defaults = new RunConfiguration();
        var configuration = new RunConfiguration(
                1,
                1,
                defaults.run(),
                new ModelSection(
                        null, from, null, null, export, defaults.model().exportDtype(), null, 0.05),
                defaults.device(),
                defaults.precision(),
                mesh,
                new TrainingSection(3, TOKENS, 2, 2, 1, defaults.training().recompute()),
                defaults.optimizer(),
                defaults.learningRate(),
                defaults.data(),
                defaults.evaluation(),
                defaults.samples(),
                defaults.fingerprints(),
                defaults.checkpoint(),
                defaults.swap(),
                defaults.audit(),
                List.of());
        var strategies = new Strategies(
                new Strategies.Compute(new CountedBackend(), new Fp32Factory().create(new NoOptions())),
                TestParallel.with(fabric, new OneForwardOneBackwardFactory().create(new NoOptions())),
                new Strategies.Model(new LlamaFactory().create(TinyRun.SIZES), Choice.of("acme"), Optional.of(format)),
                new Strategies.Step(optimizer, rate),
                new Strategies.Data(request -> samples(), watched, Optional.empty()),
                new Strategies.Outcome(Optional.empty(), Optional.empty(), List.of()));
        return LocalRun.open(configuration, strategies, seeks);
    }

    private SampleSet samples() {
        opened++;
        return new Samples();
    }

    private final class Samples implements SampleSet {
        @Override
        public long count(Split split) {
            return 100;
        }

        @Override
        public void read(Split split, long index, int[] into) {
            Arrays.fill(into, index == ruined && split == Split.TRAINING ? 256 : 0);
        }

        @Override
        public int vocabularyBound() {
            return 0;
        }

        @Override
        public String describe() {
            return "zeros";
        }

        @Override
        public void close() {
            closed++;
        }
    }

    private final class CountedBackend implements ComputeBackend {
        private final ComputeBackend meta = new MetaFactory().create(new MetaOptions());

        @Override
        public List<DeviceInfo> devices() {
            return meta.devices();
        }

        @Override
        public MemoryProfile memoryProfile() {
            return meta.memoryProfile();
        }

        @Override
        public Device open(int ordinal, DeviceLedger ledger) {
            Device device = meta.open(ordinal, ledger);
            opened++;
            return (Device) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Device.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            closed++;
                        }
                        try {
                            return method.invoke(device, arguments);
                        } catch (InvocationTargetException failure) {
                            throw failure.getCause();
                        }
                    });
        }
    }

    private record Unreachable() implements Fabric {
        @Override
        public List<Integer> localRanks(Mesh mesh) {
            return List.of(0);
        }

        @Override
        public World connect(int rank, Mesh mesh, Device device) {
            throw new CommunicationException("nobody answers");
        }
    }

    private record NoModels() implements ModelFormat {
        @Override
        public ModelReader open(Path directory) {
            throw new DataException(directory + " does not exist");
        }

        @Override
        public void write(Path directory, Choice architecture, List<ModelPart> parts) {}
    }
}
