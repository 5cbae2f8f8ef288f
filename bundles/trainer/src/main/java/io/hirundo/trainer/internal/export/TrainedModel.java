package io.hirundo.trainer.internal.export;

import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelDescription;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.data.DataSource;
import io.hirundo.data.Tokenizer;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.model.ModelSpec;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedMap;
import java.util.StringJoiner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The description of a trained model: its card.
 *
 * @param data that it was trained on
 * @param steps done
 */
record TrainedModel(
        RunConfiguration configuration,
        Strategies.Model model,
        PrecisionStrategy precision,
        DataSource data,
        Optional<Tokenizer> tokenizer,
        long steps) {
    private static final Logger LOG = LoggerFactory.getLogger(TrainedModel.class);

    /** Data type of its weights in the files. */
    DType dtype() {
        return configuration.model().exportDtype().of(precision);
    }

    /** For the format that writes it. */
    ModelDescription description() {
        ModelNotes notes = withEnd(model.notes()
                .withIds(
                        tokenizer.map(Tokenizer::beginOfText).orElse(OptionalInt.empty()),
                        tokenizer.map(Tokenizer::endOfText).orElse(OptionalInt.empty())));
        String license = configuration.model().license();
        String from = configuration.model().from();
        return new ModelDescription(
                configuration.run().name(),
                license == null ? notes : notes.withLicense(license),
                Optional.ofNullable(from).map(folder -> name(Path.of(folder))),
                Optional.ofNullable(configuration.data().license()).or(this::inheritedLicense),
                facts());
    }

    /** Generation also stops at what ended the documents of this training. */
    private ModelNotes withEnd(ModelNotes notes) {
        OptionalInt end = tokenizer.map(Tokenizer::endOfText).orElse(OptionalInt.empty());
        if (end.isEmpty() || notes.endOfText().contains(end.getAsInt())) {
            return notes;
        }
        var ends = new ArrayList<>(notes.endOfText());
        ends.add(end.getAsInt());
        return new ModelNotes(notes.beginOfText(), ends, notes.generation(), notes.license(), notes.publishedName());
    }

    /** A damaged description of the data must not lose a trained model. */
    private Optional<String> inheritedLicense() {
        try {
            return data.license();
        } catch (DataException damaged) {
            LOG.warn("the model card lacks the license of the data: {}", damaged.getMessage());
            return Optional.empty();
        }
    }

    private SequencedMap<String, String> facts() {
        var training = configuration.training();
        var mesh = configuration.mesh();
        ModelSpec spec = model.architecture().describe();
        long batchTokens = (long) training.globalBatch() * training.sequenceTokens();
        var facts = new LinkedHashMap<String, String>();
        facts.put("Architecture", text(model.choice()));
        facts.put("Parameters", number(ModelTensors.parameters(spec)));
        facts.put(
                "Weights",
                dtype() == precision.parameterType()
                        ? name(dtype())
                        : name(dtype()) + ", " + (dtype() == DType.BF16 ? "rounded to nearest even" : "converted")
                                + " from " + name(precision.parameterType()));
        facts.put("Steps", number(steps));
        facts.put("Tokens", number(steps * batchTokens));
        facts.put(
                "Batch",
                number(training.globalBatch()) + " sequences of " + number(training.sequenceTokens()) + " tokens");
        facts.put("Data", text(configuration.data().source()));
        facts.put("Precision", text(configuration.precision()));
        facts.put("Optimizer", text(configuration.optimizer()));
        facts.put("Learning rate", text(configuration.learningRate()));
        facts.put("Gradient clipping", training.clipNorm() == 0 ? "none" : String.valueOf(training.clipNorm()));
        facts.put(
                "Layout",
                "tensor " + mesh.tensor() + ", context " + mesh.context() + ", pipeline " + mesh.pipeline() + ", data "
                        + mesh.data());
        facts.put("Seed", String.valueOf(configuration.seed()));
        return facts;
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String name(DType dtype) {
        return dtype.name().toLowerCase(Locale.ROOT);
    }

    private static String text(Choice choice) {
        return choice.options().isEmpty() ? choice.name() : choice.name() + " " + text(choice.options());
    }

    /** As in YAML. Of paths only the last name, because a card is published and must not contain paths of a machine. */
    private static String text(Object value) {
        return switch (value) {
            case null -> "null";
            case Choice choice -> text(choice);
            case Map<?, ?> map -> {
                var joiner = new StringJoiner(", ", "{", "}");
                map.forEach((key, each) -> joiner.add(key + ": " + text(each)));
                yield joiner.toString();
            }
            case List<?> list -> {
                var joiner = new StringJoiner(", ", "[", "]");
                list.forEach(each -> joiner.add(text(each)));
                yield joiner.toString();
            }
            case String string -> string.substring(string.lastIndexOf('/') + 1);
            default -> String.valueOf(value);
        };
    }

    private static String name(Path path) {
        Path name = path.toAbsolutePath().normalize().getFileName();
        return name == null ? path.toString() : name.toString();
    }
}
