package io.hirundo.monitor.internal;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.MemoryCategory;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import io.hirundo.event.TrainingEvent.EvaluationCompleted;
import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.Stage;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Events as a run of 2048 tokens a step and half a second a step sends them. */
public final class Events {
    private Events() {}

    public static RunStarted started(Path directory, long firstStep, long lastStep) {
        var device = new DeviceInfo("cpu", 0, "a processor", "x86-64", 1L << 34);
        var mesh = new Mesh(new LinkedHashMap<>(Map.of(Axis.DATA, 1)));
        var stages = List.of(new Stage("0", "model.embed_tokens to lm_head"));
        return new RunStarted(
                "quick", directory, device, mesh, stages, new RunPlan(8_123_456, firstStep, lastStep, 2048, 1e11));
    }

    /** Of twelve ranks in three stages. */
    public static RunStarted startedInStages(Path directory) {
        var one = started(directory, 1, 100);
        var sizes = new LinkedHashMap<Axis, Integer>();
        sizes.put(Axis.TENSOR, 2);
        sizes.put(Axis.PIPELINE, 3);
        sizes.put(Axis.DATA, 2);
        var stages = List.of(
                new Stage("0-1, 6-7", "model.embed_tokens to model.layers.1"),
                new Stage("2-3, 8-9", "model.layers.2 to model.layers.4"),
                new Stage("4-5, 10-11", "model.layers.5 to lm_head"));
        return new RunStarted(one.name(), directory, one.device(), new Mesh(sizes), stages, one.plan());
    }

    public static StepCompleted step(long step, double loss) {
        return step(step, loss, 3e-4);
    }

    public static StepCompleted step(long step, double loss, double learningRate) {
        return step(step, new StepMetrics(loss, 0.8125, learningRate, 2048, 500_000_000, 1e11));
    }

    public static StepCompleted step(long step, StepMetrics metrics) {
        var live = Map.of(MemoryCategory.WEIGHTS, 1024L, MemoryCategory.OPTIMIZER, 2048L);
        var peak = Map.of(
                MemoryCategory.WEIGHTS, 1024L, MemoryCategory.OPTIMIZER, 2048L, MemoryCategory.ACTIVATIONS, 97L << 20);
        return new StepCompleted(step, metrics, live, peak);
    }

    public static EvaluationCompleted evaluation(long step, double loss) {
        return new EvaluationCompleted(step, "validation", loss, 65536);
    }

    public static CheckpointSaved checkpoint(Path path, long step) {
        return new CheckpointSaved(new CheckpointInfo(path, step, 97L << 20), 1_200_000_000);
    }
}
