package io.hirundo.monitor.internal.jsonl;

import io.hirundo.event.CheckpointEvent.CheckpointBegun;
import io.hirundo.event.CheckpointEvent.CheckpointCopied;
import io.hirundo.event.CheckpointEvent.CheckpointFetched;
import io.hirundo.event.CheckpointEvent.CheckpointNotCopied;
import io.hirundo.event.CheckpointEvent.CheckpointPassedOver;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import io.hirundo.event.CheckpointEvent.CheckpointTakenInPart;
import java.nio.file.Path;

/** The checkpoint events of {@code metrics.jsonl}. */
final class CheckpointLines {
    private CheckpointLines() {}

    /** Relative if inside the run's directory, so that users can move a run. */
    static String shown(Path path, Path directory) {
        return (path.startsWith(directory) ? directory.relativize(path) : path).toString();
    }

    static String checkpoint(CheckpointSaved event, Path directory) {
        return JsonLine.of(line -> {
            line.json().writeStringField("checkpoint", shown(event.checkpoint().path(), directory));
            line.json().writeNumberField("step", event.checkpoint().step());
            line.json().writeNumberField("bytes", event.checkpoint().bytes());
            line.json().writeNumberField("saveNanos", event.saveNanos());
            if (event.checkpoint().isInMemory()) {
                line.json().writeBooleanField("inMemory", true);
            }
        });
    }

    /** A checkpoint that could not be loaded, so the run resumed from an older one. */
    static String passedOver(CheckpointPassedOver event, Path directory) {
        return JsonLine.of(line -> {
            line.json().writeStringField("passedOver", shown(event.path(), directory));
            line.json().writeNumberField("step", event.step());
            line.json().writeStringField("reason", event.reason());
        });
    }

    /** A checkpoint whose tensors do not match those of the run exactly. */
    static String takenInPart(CheckpointTakenInPart event, Path directory) {
        return JsonLine.of(line -> {
            line.json().writeStringField("takenInPart", shown(event.path(), directory));
            line.json().writeNumberField("step", event.step());
            line.texts("missing", event.missing());
            line.texts("unexpected", event.unexpected());
        });
    }

    static String copied(CheckpointCopied event) {
        return JsonLine.of(line -> {
            line.json().writeStringField("copied", event.place());
            line.json().writeNumberField("step", event.step());
            line.json().writeNumberField("bytes", event.bytes());
            line.json().writeNumberField("copyNanos", event.copyNanos());
        });
    }

    static String notCopied(CheckpointNotCopied event) {
        return JsonLine.of(line -> {
            line.json().writeStringField("notCopied", event.place());
            line.json().writeNumberField("step", event.step());
            line.json().writeStringField("reason", event.reason());
        });
    }

    static String fetched(CheckpointFetched event, Path directory) {
        return JsonLine.of(line -> {
            line.json().writeStringField("fetched", shown(event.path(), directory));
            line.json().writeNumberField("step", event.step());
            line.json().writeStringField("from", event.place());
            line.json().writeNumberField("bytes", event.bytes());
            line.json().writeNumberField("fetchNanos", event.fetchNanos());
        });
    }

    static String begun(CheckpointBegun event) {
        return JsonLine.of(line -> {
            line.json().writeBooleanField("saving", true);
            line.json().writeNumberField("step", event.step());
            line.json().writeNumberField("stallNanos", event.stallNanos());
        });
    }
}
