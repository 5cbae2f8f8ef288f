package io.hirundo.monitor.internal.jsonl;

import io.hirundo.device.KernelTimes;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.event.TrainingEvent.ChangeRejected;
import io.hirundo.event.TrainingEvent.EvaluationCompleted;
import io.hirundo.event.TrainingEvent.KernelsTimed;
import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.event.TrainingEvent.MessagesCounted;
import io.hirundo.event.TrainingEvent.ModelCompared;
import io.hirundo.event.TrainingEvent.RoundingMeasured;
import io.hirundo.event.TrainingEvent.RunPaused;
import io.hirundo.event.TrainingEvent.RunResumed;
import io.hirundo.event.TrainingEvent.RunRolledBack;
import io.hirundo.event.TrainingEvent.SampleWritten;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.event.TrainingEvent.StrategiesChanged;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The objects of {@code metrics.jsonl}. */
final class MetricsLines {
    private MetricsLines() {}

    static String step(StepCompleted event) {
        StepMetrics metrics = event.metrics();
        return JsonLine.of(line -> {
            line.json().writeNumberField("step", event.step());
            line.number("loss", metrics.loss());
            line.number("gradNorm", metrics.gradientNorm());
            line.number("learningRate", metrics.learningRate());
            line.json().writeNumberField("tokens", metrics.tokens());
            line.number("tokensPerSecond", metrics.tokensPerSecond());
            line.number("modelTflops", metrics.modelTflops());
            line.json().writeNumberField("stepNanos", metrics.stepNanos());
            line.categories("liveBytes", event.liveBytes());
            line.categories("peakBytes", event.peakBytes());
        });
    }

    /** One object per layer, including its operands. */
    static List<String> rounding(RoundingMeasured event) {
        var layers = new LinkedHashMap<String, List<LayerRounding>>();
        event.layers()
                .forEach(each -> layers.computeIfAbsent(each.layer(), _ -> new ArrayList<>())
                        .add(each));
        var lines = new ArrayList<String>();
        layers.forEach((layer, operands) -> lines.add(rounding(event.step(), layer, operands)));
        return lines;
    }

    private static String rounding(long step, String layer, List<LayerRounding> operands) {
        return JsonLine.of(line -> {
            line.json().writeStringField("rounding", layer);
            line.json().writeNumberField("step", step);
            for (LayerRounding each : operands) {
                line.json()
                        .writeObjectFieldStart(
                                switch (each.operand()) {
                                    case INPUT -> "x";
                                    case WEIGHT -> "w";
                                    case OUTPUT_GRADIENT -> "dy";
                                });
                line.json().writeNumberField("vanished", each.loss().vanishedShare());
                line.json().writeNumberField("largest", each.loss().largestShare());
                line.number("error", each.loss().error());
                line.json().writeEndObject();
            }
        });
    }

    /** One object for all kernels together, and one for each kernel. */
    static List<String> kernels(KernelsTimed event) {
        KernelTimes times = event.times();
        var lines = new ArrayList<String>();
        lines.add(JsonLine.of(line -> {
            line.json().writeNumberField("kernels", times.kernels().size());
            line.json().writeNumberField("step", event.step());
            line.json().writeNumberField("busyShare", times.busyShare());
            line.json().writeNumberField("busyNanos", times.busyNanos());
            line.json().writeNumberField("spanNanos", times.spanNanos());
        }));
        for (KernelTime each : times.kernels()) {
            lines.add(JsonLine.of(line -> {
                line.json().writeStringField("kernel", each.name());
                line.json().writeNumberField("step", event.step());
                line.json().writeNumberField("launches", each.launches());
                line.json().writeNumberField("nanos", each.nanos());
            }));
        }
        return lines;
    }

    static String messages(MessagesCounted event) {
        return JsonLine.of(line -> {
            line.json().writeObjectFieldStart("messageBytes");
            for (Map.Entry<String, Long> message : event.bytes().entrySet()) {
                line.json().writeNumberField(message.getKey(), message.getValue());
            }
            line.json().writeEndObject();
            line.json().writeNumberField("step", event.step());
        });
    }

    static String sample(SampleWritten event) {
        return JsonLine.of(line -> {
            line.json().writeStringField("sample", event.text());
            line.json().writeStringField("prompt", event.prompt());
            line.json().writeNumberField("step", event.step());
        });
    }

    static String evaluation(EvaluationCompleted event) {
        return JsonLine.of(line -> {
            line.json().writeStringField("evaluation", event.dataset());
            line.json().writeNumberField("step", event.step());
            line.number("loss", event.loss());
            line.json().writeNumberField("tokens", event.tokens());
        });
    }

    static String compared(ModelCompared event, Path directory) {
        return JsonLine.of(line -> {
            line.json().writeStringField("compared", CheckpointLines.shown(event.model(), directory));
            line.json().writeNumberField("step", event.step());
            line.json().writeNumberField("difference", event.difference());
            line.json().writeNumberField("allowed", event.allowed());
        });
    }

    static String changed(StrategiesChanged event) {
        return JsonLine.of(line -> {
            line.texts("changed", event.changes());
            line.json().writeNumberField("step", event.step());
            line.json().writeStringField("reason", event.reason());
            line.json().writeStringField("parity", event.parity());
            line.json().writeNumberField("pauseNanos", event.pauseNanos());
        });
    }

    static String rejected(ChangeRejected event) {
        return JsonLine.of(line -> {
            line.texts("rejected", event.wanted());
            line.json().writeNumberField("step", event.step());
            line.json().writeStringField("reason", event.reason());
        });
    }

    static String audit(AuditFound event) {
        return JsonLine.of(line -> {
            line.json().writeStringField("audit", event.operation());
            line.json().writeNumberField("step", event.step());
            line.json().writeNumberField("rank", event.rank());
            line.json().writeStringField("place", event.place());
            line.json().writeNumberField("call", event.call());
            line.json().writeNumberField("row", event.row());
            line.json().writeNumberField("column", event.column());
            line.number("expected", event.expected());
            line.number("found", event.found());
            line.number("bound", event.bound());
            line.json().writeStringField("replay", event.replay());
        });
    }

    static String rolledBack(RunRolledBack event) {
        return JsonLine.of(line -> {
            line.json().writeNumberField("rolledBack", event.from());
            line.json().writeNumberField("step", event.step());
            line.json().writeStringField("reason", event.reason());
        });
    }

    static String paused(RunPaused event) {
        return JsonLine.of(line -> {
            line.json().writeStringField("paused", event.reason());
            line.json().writeNumberField("step", event.step());
        });
    }

    static String resumed(RunResumed event) {
        return JsonLine.of(line -> {
            line.json().writeBooleanField("resumed", true);
            line.json().writeNumberField("step", event.step());
            line.json().writeNumberField("pauseNanos", event.pauseNanos());
        });
    }
}
