package io.hirundo.lib.run.strategy;

import io.hirundo.data.Tokenizer;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The tokenizer in the folder of {@code model.from}, which an exported model gets where {@code data.tokenizer} is not set. */
public final class InheritedTokenizer {
    private static final String STRATEGY = "huggingface";
    private static final List<String> FILES =
            List.of("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json");

    private InheritedTokenizer() {}

    /** Empty if the run exports no model, has a tokenizer of its own, or the folder has none. Reads no file. The caller closes it. */
    public static Optional<Tokenizer> of(RunConfiguration configuration, StrategyRegistry registry) {
        var model = configuration.model();
        boolean readable = registry.list().stream()
                .anyMatch(strategy ->
                        strategy.kind().equals("tokenizer") && strategy.name().equals(STRATEGY));
        if (!model.export() || model.from() == null || configuration.data().tokenizer() != null || !readable) {
            return Optional.empty();
        }
        Path folder = Path.of(model.from());
        return FILES.stream().anyMatch(name -> Files.exists(folder.resolve(name)))
                ? Optional.of(registry.create(
                        Tokenizer.class, new Choice(STRATEGY, Map.of("file", model.from())), "model.from"))
                : Optional.empty();
    }
}
