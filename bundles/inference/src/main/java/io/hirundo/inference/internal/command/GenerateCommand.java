package io.hirundo.inference.internal.command;

import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.data.Tokenizer;
import io.hirundo.lib.inference.decode.CachedLogits;
import io.hirundo.lib.inference.sampling.Sampling;
import io.hirundo.lib.inference.sampling.Speed;
import io.hirundo.lib.inference.sampling.TextGenerator;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.run.arguments.PositiveInteger;
import io.hirundo.strategy.StrategyRegistry;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Generates text from a prompt. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=generate")
@picocli.CommandLine.Command(
        name = "generate",
        description = {
            "Generates text from a prompt. Prompt and text are printed to standard output, the speed to standard error.",
            "Earlier tokens are kept in a KV cache, up to the model's maximum sequence length; after that, each token costs a forward pass "
                    + "over the maximum length."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo generate --model runs/quickstart-1/model --prompt 'public static'",
            "  hirundo generate --model my-model --prompt 'Once upon a time' --temperature 0"
        })
public final class GenerateCommand implements Command {
    private final StrategyRegistry registry;
    private final Interruption interruption;

    @Mixin
    private ModelArguments model;

    @Option(names = "--prompt", paramLabel = "TEXT", defaultValue = "", description = "Text to continue.")
    private String prompt;

    @Option(
            names = "--max-tokens",
            paramLabel = "N",
            defaultValue = "200",
            converter = PositiveInteger.class,
            description = "Maximum number of new tokens. Default: ${DEFAULT-VALUE}.")
    private int maximumTokens;

    @Option(
            names = "--temperature",
            paramLabel = "X",
            defaultValue = "0.8",
            description = "0 always picks the most likely token. Default: ${DEFAULT-VALUE}.")
    private double temperature;

    @Option(
            names = "--top-p",
            paramLabel = "P",
            defaultValue = "0.95",
            description =
                    "Top-p: samples from the most likely tokens with this total probability. Default: ${DEFAULT-VALUE}.")
    private double topP;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "The same seed gives the same text. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Activate
    public GenerateCommand(@Reference StrategyRegistry registry, @Reference Interruption interruption) {
        this.registry = registry;
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        return interruption.call("hirundo-generate", this::generate).orElse(ExitCode.INTERRUPTED);
    }

    private int generate() {
        var sampling = new Sampling(temperature, topP);
        // Output is UTF-8 in every locale.
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        try (var tokenizer = model.tokenizer(registry)) {
            Set<Integer> ends = model.ends(registry, tokenizer);
            List<String> kept = model.keptNames(tokenizer, prompt);
            if (!kept.isEmpty()) {
                System.err.println("the prompt names special tokens, which stay text: " + Excerpt.of(kept)
                        + "; --special-tokens makes them tokens");
            }
            generate(tokenizer, ends, sampling, out);
        }
        return interruption.isRequested() ? ExitCode.INTERRUPTED : ExitCode.OK;
    }

    private void generate(Tokenizer tokenizer, Set<Integer> ends, Sampling sampling, PrintStream out) {
        try (var open = model.open(registry);
                var logits = new CachedLogits(open, Integer.MAX_VALUE)) {
            Speed speed = new TextGenerator(logits, tokenizer, ends)
                    .generate(
                            prompt,
                            maximumTokens,
                            sampling,
                            seed,
                            text -> {
                                out.print(text);
                                out.flush();
                            },
                            interruption::isRequested);
            out.println();
            out.flush();
            System.err.println(speed.describe());
        }
    }
}
