package io.hirundo.control.internal;

import io.hirundo.train.ChangeProgress;
import io.hirundo.train.Decision;
import io.hirundo.train.RunControl;
import io.hirundo.train.RunSetting;
import io.hirundo.train.RunSetting.Alternative;
import io.hirundo.train.RunStatus;
import io.hirundo.train.StrategyInUse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A run that accepts and records every request, unless a test makes it reject or postpone them. */
public final class FakeRun implements RunControl {
    private final Path directory;
    public final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    public volatile String rejection;
    public volatile CompletableFuture<Decision> undecided;
    public volatile Optional<ChangeProgress> progress = Optional.empty();
    public volatile RunStatus.State state = RunStatus.State.RUNNING;

    public FakeRun(Path directory) {
        this.directory = directory;
    }

    @Override
    public RunStatus status() {
        String reason = state == RunStatus.State.PAUSED ? "as asked" : "";
        return new RunStatus("tiny", directory, state, reason, new RunStatus.Progress(40, 400, 160, 3.25, 1234.4));
    }

    @Override
    public Optional<ChangeProgress> changeProgress() {
        return progress;
    }

    @Override
    public List<StrategyInUse> strategies() {
        return List.of(
                new StrategyInUse("precision", "fp32", "io.hirundo.precision-native 0.1.0"),
                new StrategyInUse("mesh.schedule", "1f1b", "io.hirundo.parallel-pp 0.1.0"),
                new StrategyInUse("optimizer", "gone", ""));
    }

    @Override
    public List<RunSetting> settings() {
        return List.of(
                new RunSetting(
                        "precision",
                        "fp32",
                        List.of(
                                new Alternative("bf16", List.of()),
                                new Alternative("fp8-blockwise", List.of("block", "power")))),
                new RunSetting("learningRate.options.peak", "0.001", List.of()),
                new RunSetting(
                        "mesh.schedule",
                        "1f1b",
                        List.of(new Alternative("1f1b", List.of()), new Alternative("gpipe", List.of()))),
                new RunSetting("training.clipNorm", "1.0", List.of()),
                new RunSetting(
                        "checkpoint.atEnd",
                        "true",
                        List.of(new Alternative("true", List.of()), new Alternative("false", List.of()))));
    }

    @Override
    public CompletableFuture<Decision> change(List<String> assignments) {
        return request("change " + assignments);
    }

    @Override
    public CompletableFuture<Decision> saveCheckpoint() {
        return request("checkpoint");
    }

    @Override
    public CompletableFuture<Decision> pause() {
        return request("pause");
    }

    @Override
    public CompletableFuture<Decision> resume() {
        return request("resume");
    }

    @Override
    public CompletableFuture<Decision> stop() {
        return request("stop");
    }

    private CompletableFuture<Decision> request(String what) {
        requests.add(what);
        if (undecided != null) {
            return undecided;
        }
        return CompletableFuture.completedFuture(
                rejection == null ? new Decision(true, 41, what + " done") : new Decision(false, 41, rejection));
    }
}
