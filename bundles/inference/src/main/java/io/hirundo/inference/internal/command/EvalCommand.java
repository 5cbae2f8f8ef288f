package io.hirundo.inference.internal.command;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.DivergedException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.Quantity;
import io.hirundo.data.TextFormat;
import io.hirundo.data.TextReader;
import io.hirundo.inference.internal.data.EvaluationData;
import io.hirundo.lib.configuration.document.JsonText;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.inference.evaluation.Evaluator;
import io.hirundo.lib.run.arguments.PositiveInteger;
import io.hirundo.strategy.StrategyRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures a model's loss on text or on a dataset. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=eval")
@picocli.CommandLine.Command(
        name = "eval",
        description = {
            "Measures the mean loss and perplexity of a model on a dataset, or on text with the model's own tokenizer.",
            "For text also the bits per byte, which compare models with different tokenizers."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo eval --model runs/quickstart-1/model --data README.md",
            "  hirundo eval --model my-model --data datasets/japanese --sequence 512 --json"
        })
public final class EvalCommand implements Command {
    private final StrategyRegistry registry;
    private final TextReader texts;
    private final Interruption interruption;

    @Mixin
    private ModelArguments model;

    @Option(
            names = "--data",
            paramLabel = "PREFIX|TEXT",
            required = true,
            description = {
                "Prefix of a .bin/.idx dataset, whose full sequences are measured;",
                "or a text, JSON lines, zip or folder, which is measured to the last token."
            })
    private Path data;

    @Option(names = "--data-format", paramLabel = "NAME", description = "Of text. " + TextFormat.LAYOUT_HELP)
    private String layout;

    @Option(names = "--text-field", paramLabel = "NAME", description = TextFormat.FIELD_HELP)
    private String textField;

    @Option(
            names = "--sequence",
            paramLabel = "N",
            converter = PositiveInteger.class,
            description = "Tokens per sequence. Default: the model's maximum.")
    private Integer sequenceTokens;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "4",
            converter = PositiveInteger.class,
            description = "Sequences per microbatch. Default: ${DEFAULT-VALUE}.")
    private int batch;

    @Option(names = "--json", description = "Prints one JSON object.")
    private boolean json;

    @Activate
    public EvalCommand(
            @Reference StrategyRegistry registry, @Reference TextReader texts, @Reference Interruption interruption) {
        this.registry = registry;
        this.texts = texts;
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        return interruption.call("hirundo-eval", this::measure).orElse(ExitCode.INTERRUPTED);
    }

    private int measure() {
        var format = TextFormat.of(layout, textField);
        if (!Files.exists(data) && !EvaluationData.isDataset(data)) {
            throw new DataException("--data: neither a text " + data + " nor a dataset " + data
                    + ".idx exists; give a text, JSON lines, zip or folder, or the prefix of a dataset");
        }
        if (EvaluationData.isDataset(data) && model.areAboutText()) {
            throw new ConfigurationException("--bos, --eos, --special-tokens: " + data
                    + " is a dataset, which has its tokens already; leave them out");
        }
        try (RankModel open = model.open(registry)) {
            int tokens = sequenceTokens(open.spec().maximumSequenceTokens());
            EvaluationData.Source source = EvaluationData.isDataset(data)
                    ? EvaluationData.ofDataset(registry, data, tokens)
                    : EvaluationData.ofText(texts.with(format), () -> model.tokenizer(registry), data, tokens);
            Optional<Evaluator.Result> result = evaluate(open, source.parts());
            result.ifPresent(found -> report(found, source.bytes()));
            return result.isPresent() ? ExitCode.OK : ExitCode.INTERRUPTED;
        }
    }

    private int sequenceTokens(int maximumTokens) {
        if (sequenceTokens == null) {
            return maximumTokens;
        }
        if (sequenceTokens > maximumTokens) {
            throw new ConfigurationException("--sequence: " + sequenceTokens
                    + " is longer than the model allows; lower it to " + maximumTokens + " at most");
        }
        return sequenceTokens;
    }

    /** Empty when interrupted. */
    private Optional<Evaluator.Result> evaluate(RankModel open, List<EvaluationData.Part> parts) {
        double lossSum = 0;
        long tokens = 0;
        for (var part : parts) {
            try (var samples = part.samples()) {
                var result = new Evaluator(open, samples, part.sequenceTokens(), Long.MAX_VALUE, batch)
                        .evaluate(interruption::isRequested);
                if (result.isEmpty()) {
                    return Optional.empty();
                }
                lossSum += result.get().loss() * result.get().tokens();
                tokens += result.get().tokens();
            }
        }
        return Optional.of(finite(new Evaluator.Result(lossSum / tokens, tokens)));
    }

    /** Rejects a loss of NaN or infinity: activations can overflow although all weights are finite. */
    static Evaluator.Result finite(Evaluator.Result result) {
        if (!Double.isFinite(result.loss())) {
            throw new DivergedException("the model's mean loss is " + result.loss() + " over " + result.tokens()
                    + " tokens; give a model from an earlier checkpoint, or --precision fp32");
        }
        return result;
    }

    /** Loss in bits over the bytes of the text, which compares models with different vocabularies. */
    static OptionalDouble bitsPerByte(Evaluator.Result result, OptionalLong bytes) {
        return bytes.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(result.loss() * result.tokens() / Math.log(2) / bytes.getAsLong());
    }

    private void report(Evaluator.Result result, OptionalLong bytes) {
        double perplexity = Math.exp(result.loss());
        OptionalDouble bitsPerByte = bitsPerByte(result, bytes);
        if (json) {
            var object = new LinkedHashMap<String, Object>();
            object.put("meanLoss", result.loss());
            object.put("perplexity", perplexity);
            object.put("tokens", result.tokens());
            bitsPerByte.ifPresent(bits -> object.put("bitsPerByte", bits));
            System.out.println(JsonText.compact(object));
        } else {
            System.out.printf(
                    Locale.ROOT,
                    "mean loss %s nats, perplexity %.4f, %,d tokens%s%n",
                    Quantity.fixed(result.loss(), 6),
                    perplexity,
                    result.tokens(),
                    bitsPerByte.isPresent()
                            ? String.format(Locale.ROOT, ", %.4f bits per byte", bitsPerByte.getAsDouble())
                            : "");
        }
    }
}
