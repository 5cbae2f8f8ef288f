package io.hirundo.regress.internal.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.ConfigurationException;
import io.hirundo.command.Interruption;
import io.hirundo.device.DeviceInfo;
import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.regress.internal.golden.CaseRecord;
import io.hirundo.regress.internal.golden.StepRecord;
import io.hirundo.regress.internal.set.RegressCase;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;

/** Trains cases from the first to the last step, one after the other, without writing files. */
public final class CaseRunner {
    private static final JsonMapper CANONICAL = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    private final Trainer trainer;
    private final Interruption interruption;
    private DeviceInfo device;

    public CaseRunner(Trainer trainer, Interruption interruption) {
        this.trainer = trainer;
        this.interruption = interruption;
    }

    /**
     * Trains one case.
     *
     * @param progress receives each step
     * @throws CancellationException if the user asked to stop
     */
    public CaseRecord run(RegressCase wanted, CaseProgress progress) {
        long begin = System.nanoTime();
        requireNotInterrupted();
        try (TrainingRun run = open(wanted)) {
            device = run.device().info();
            var steps = new ArrayList<StepRecord>();
            var fingerprints = new ArrayList<FingerprintsTaken>();
            long count = steps(run.settings());
            double fastest = 0;
            long tokens = 0;
            for (long step = 1; step <= count; step++) {
                requireNotInterrupted();
                progress.step(step, count);
                StepMetrics metrics = run.step();
                steps.add(new StepRecord(step, metrics.loss(), metrics.gradientNorm(), metrics.learningRate()));
                run.fingerprints().ifPresent(fingerprints::add);
                tokens = metrics.tokens();
                fastest = Math.max(fastest, metrics.tokensPerSecond());
            }
            double seconds = (System.nanoTime() - begin) / 1e9;
            return new CaseRecord(
                    wanted.name(),
                    precision(run.settings()),
                    run.operandTypes(),
                    digest(run.settings()),
                    tokens,
                    steps,
                    fingerprints,
                    peaks(run),
                    new CaseRecord.Speed(fastest, seconds));
        }
    }

    private TrainingRun open(RegressCase wanted) {
        try {
            return trainer.prepare(wanted.configuration(), wanted.assignments());
        } catch (ConfigurationException wrong) {
            throw new ConfigurationException("case " + wanted.name() + ": " + wrong.getMessage(), wrong);
        }
    }

    /** The device of the last case. */
    public DeviceInfo device() {
        return device;
    }

    private void requireNotInterrupted() {
        if (interruption.isRequested()) {
            throw new CancellationException("interrupted");
        }
    }

    private static long steps(Map<String, Object> settings) {
        return ((Number) ((Map<?, ?>) settings.get("training")).get("steps")).longValue();
    }

    /** A choice is a name, or an object with a name. */
    private static String precision(Map<String, Object> settings) {
        Object precision = settings.get("precision");
        return precision instanceof Map<?, ?> choice ? String.valueOf(choice.get("name")) : String.valueOf(precision);
    }

    private static String digest(Map<String, Object> settings) {
        try {
            byte[] text = CANONICAL.writeValueAsString(settings).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text), 0, 8);
        } catch (JsonProcessingException | NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static List<SortedMap<String, Long>> peaks(TrainingRun run) {
        var ranks = new ArrayList<SortedMap<String, Long>>();
        for (var peaks : run.peakBytes()) {
            var byName = new TreeMap<String, Long>();
            peaks.forEach((category, bytes) -> byName.put(category.name().toLowerCase(Locale.ROOT), bytes));
            byName.values().removeIf(bytes -> bytes == 0);
            ranks.add(byName);
        }
        return ranks;
    }
}
