package io.hirundo.inference.internal.command;

import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.data.SpecialTokens;
import io.hirundo.data.Tokenizer;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.inference.sampling.TextGenerator;
import io.hirundo.lib.inference.stored.OpenModel;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Option;

/** Command-line arguments that name a model. */
public final class ModelArguments {
    @Option(names = "--model", paramLabel = "DIR", required = true, description = "Folder of the model.")
    private Path model;

    @Option(
            names = "--format",
            paramLabel = "NAME",
            defaultValue = "huggingface",
            description = "Format of the model. Default: ${DEFAULT-VALUE}.")
    private String format;

    @Option(
            names = "--device",
            paramLabel = "NAME",
            defaultValue = "cpu",
            description = "Device. Default: ${DEFAULT-VALUE}.")
    private String device;

    @Option(
            names = "--precision",
            paramLabel = "NAME",
            defaultValue = "fp32",
            description = "Precision. Default: ${DEFAULT-VALUE}.")
    private String precision;

    @Option(
            names = "--bos",
            paramLabel = "ID|none",
            description = "Token that begins a text. Default: as the model's folder declares.")
    private String begin;

    @Option(
            names = "--eos",
            paramLabel = "ID|none",
            description = "Token that ends a text. Default: as the model's folder declares.")
    private String end;

    @Option(
            names = "--special-tokens",
            description =
                    "Turns names of special tokens in a text, such as <|end_of_text|>, into these tokens. By default they stay text.")
    private boolean specialTokens;

    /** Whether an argument says how texts become tokens. */
    boolean areAboutText() {
        return begin != null || end != null || specialTokens;
    }

    /** The names of special tokens that stay text, although the text may mean the tokens. */
    List<String> keptNames(Tokenizer tokenizer, String text) {
        return specialTokens
                ? List.of()
                : tokenizer.specialTokens().in(text).stream()
                        .map(SpecialTokens.Match::name)
                        .distinct()
                        .toList();
    }

    /** The ids that end a generated text: every one that the model's folder lists, or the chosen one alone. */
    Set<Integer> ends(StrategyRegistry registry, Tokenizer tokenizer) {
        ModelNotes notes = OpenModel.notes(registry, model, Choice.of(format));
        return TextGenerator.ends(end == null ? notes : ModelNotes.NONE, tokenizer);
    }

    /** The caller closes it. */
    RankModel open(StrategyRegistry registry) {
        return OpenModel.open(registry, model, Choice.of(format), Choice.of(device), Choice.of(precision));
    }

    /** The tokenizer in the model's folder. The caller closes it. */
    Tokenizer tokenizer(StrategyRegistry registry) {
        var options = new LinkedHashMap<String, Object>(
                Map.of("file", model.toString(), "specialTokensInText", specialTokens));
        if (begin != null) {
            options.put("bos", begin);
        }
        if (end != null) {
            options.put("eos", end);
        }
        var choice = new Choice("huggingface", options);
        return registry.create(Tokenizer.class, choice, "--model");
    }
}
