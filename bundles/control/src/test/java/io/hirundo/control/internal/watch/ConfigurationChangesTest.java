package io.hirundo.control.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.control.internal.FakeRun;
import io.hirundo.train.Decision;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ConfigurationChangesTest {
    private final FakeRun run = new FakeRun(Path.of("runs", "tiny"));

    @Test
    void requestsOnlyLinesThatChanged() {
        Map<String, Object> first = Map.of(
                "precision",
                "bf16",
                "learningRate.options.peak",
                "0.001",
                "service.pid",
                "x",
                "component.id",
                3L,
                "osgi.ds.x",
                "y",
                "felix.fileinstall.filename",
                "file:/conf");
        var changes = new ConfigurationChanges(run, first);
        changes.request(Map.of("precision", "fp32", "learningRate.options.peak", "0.001"));
        changes.request(Map.of("precision", "fp32", "learningRate.options.peak", "0.001"));
        changes.request(Map.of("precision", "fp32"));

        assertEquals(
                List.of("change [learningRate.options.peak=0.001, precision=bf16]", "change [precision=fp32]"),
                run.requests);
    }

    @Test
    void requestsRejectedLinesAgainOnceTheBadOneIsCorrected() {
        run.rejection = "precision: \"bf17\" is unknown";
        var changes = new ConfigurationChanges(run, Map.of("precision", "bf17", "training.clipNorm", "0.5"));
        run.rejection = null;
        changes.request(Map.of("precision", "bf17", "training.clipNorm", "0.5"));
        assertEquals(List.of("change [precision=bf17, training.clipNorm=0.5]"), run.requests, "it has not changed");

        changes.request(Map.of("precision", "bf16", "training.clipNorm", "0.5"));
        assertEquals("change [precision=bf16, training.clipNorm=0.5]", run.requests.getLast());
        changes.request(Map.of("precision", "bf16", "training.clipNorm", "0.25"));
        assertEquals("change [training.clipNorm=0.25]", run.requests.getLast());
        assertEquals(3, run.requests.size());
    }

    @Test
    void requestsLaterChangesAfterTheDecision() {
        var decision = new CompletableFuture<Decision>();
        run.undecided = decision;
        var changes = new ConfigurationChanges(run, Map.of("precision", "bf17", "training.clipNorm", "0.5"));
        changes.request(Map.of("precision", "bf16", "training.clipNorm", "0.5"));
        assertEquals(1, run.requests.size());

        run.undecided = null;
        decision.complete(new Decision(false, 41, "precision: \"bf17\" is unknown"));

        assertEquals("change [precision=bf16, training.clipNorm=0.5]", run.requests.getLast());
    }
}
