package io.hirundo.trainer.internal.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.inference.stored.OpenModel;
import io.hirundo.strategy.Choice;
import io.hirundo.trainer.internal.evaluation.LogitReader;
import io.hirundo.trainer.internal.fixture.CrookedFormat;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens the model of a finished run for inference. */
class OpenModelTest {
    @TempDir
    private Path folder;

    private SteeredRun run;

    @BeforeEach
    void writeAModel() {
        run = new SteeredRun(folder)
                .model(new CrookedFormat(false, false), null)
                .run();
        run.catalog.add("device", "meta", new MetaFactory());
    }

    private RankModel open(String device) {
        Path model = folder.resolve("steered").resolve("model");
        return OpenModel.open(run.catalog, model, Choice.of("chosen"), Choice.of(device), Choice.of("fp32"));
    }

    @Test
    void computesLogits() {
        try (RankModel model = open("cpu")) {
            assertEquals(96, new LogitReader(model).afterLast(new int[] {1, 2}).length);
        }
    }

    @Test
    void rejectsTheMetaDevice() {
        assertEquals(
                "--device: meta computes no values, so a model has no output there; give one that does, for example cpu",
                assertThrows(ConfigurationException.class, () -> open("meta")).getMessage());
    }
}
