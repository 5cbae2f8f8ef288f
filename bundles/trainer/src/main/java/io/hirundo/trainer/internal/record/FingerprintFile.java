package io.hirundo.trainer.internal.record;

import io.hirundo.StorageException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.RunRolledBack;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.TensorFingerprint;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.configuration.document.JsonText;
import io.hirundo.lib.json.StepLines;
import io.hirundo.lib.output.OutputChannels;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code fingerprints.jsonl} of a run: a line for each step of which fingerprints were taken. A run that is resumed or rolled back
 * drops the lines of steps that it repeats, and a line that a crash cut short.
 *
 * @param file that is appended to
 */
public record FingerprintFile(Path file) implements TrainingListener {
    private static final Logger LOG = LoggerFactory.getLogger(FingerprintFile.class);

    @Override
    public void on(TrainingEvent event) {
        switch (event) {
            case RunStarted started -> dropFrom(started.plan().firstStep());
            case RunRolledBack back -> dropFrom(back.step() + 1);
            case FingerprintsTaken taken -> append(line(taken));
            default -> {
                // Not for this file.
            }
        }
    }

    private void dropFrom(long step) {
        try {
            long dropped = StepLines.dropFrom(step, file);
            if (dropped > 0) {
                LOG.warn("{}: no line ends in its last {} bytes, which are dropped", file, dropped);
            }
        } catch (IOException failure) {
            throw new StorageException("cannot write " + OutputFiles.explain(file, failure), failure);
        }
    }

    private static String line(FingerprintsTaken taken) {
        var values = new LinkedHashMap<String, Object>();
        values.put("step", taken.step());
        values.put("gradients", tensors(taken.gradients()));
        values.put("weights", tensors(taken.weights()));
        return JsonText.compact(values) + "\n";
    }

    private static List<Map<String, Object>> tensors(List<TensorFingerprint> fingerprints) {
        return fingerprints.stream().map(FingerprintFile::values).toList();
    }

    private static Map<String, Object> values(TensorFingerprint fingerprint) {
        var values = new LinkedHashMap<String, Object>();
        values.put("tensor", fingerprint.tensor());
        values.put("elements", fingerprint.elements());
        values.put("sumOfSquares", fingerprint.sumOfSquares());
        values.put("projections", fingerprint.projections());
        return values;
    }

    private void append(String line) {
        try (FileChannel channel = OutputChannels.append(file)) {
            for (ByteBuffer bytes = StandardCharsets.UTF_8.encode(line); bytes.hasRemaining(); ) {
                channel.write(bytes);
            }
        } catch (IOException failure) {
            throw new StorageException("cannot write " + OutputFiles.explain(file, failure), failure);
        }
    }
}
