package io.hirundo.dataloader.internal.command;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.data.DocumentFrame;
import io.hirundo.data.TextFormat;
import io.hirundo.data.TextSelection;
import io.hirundo.data.Tokenizer;
import io.hirundo.dataloader.internal.indexed.DatasetDescription;
import io.hirundo.dataloader.internal.indexed.DatasetFiles;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.indexed.IndexedDatasetWriter;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.dataloader.internal.text.SourceFiles;
import io.hirundo.lib.input.CardLicense;
import io.hirundo.strategy.StrategyRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a dataset is to be made of.
 *
 * @param tokenizerSha256 of its {@code tokenizer.json}
 * @param source text, and how much of it
 */
record DatasetRecipe(TokenizerFile tokenizer, String tokenizerSha256, DatasetDescription.Source source) {
    /**
     * The text of a dataset, and what is said about it.
     *
     * @param license null for what the card of its folder says
     */
    record Text(Path path, TextFormat format, String license) {}

    static DatasetRecipe of(TokenizerFile tokenizer, Text text, TextSelection selection, Stop stop) {
        boolean all = selection.maximumBytes() == Long.MAX_VALUE;
        var source = new DatasetDescription.Source(
                text.path().toAbsolutePath().normalize().toString(),
                SourceFiles.list(text.path(), stop).fingerprint(),
                all ? null : selection.maximumBytes(),
                // Where all is taken, the seed chooses nothing: another one gives the same dataset.
                all ? 0 : selection.seed(),
                text.format().textField(),
                text.format().layout() == TextFormat.Layout.AUTO
                        ? null
                        : text.format().layoutName(),
                text.license() == null ? licenseOf(text.path()) : text.license());
        return new DatasetRecipe(tokenizer, tokenizer.sha256(), source);
    }

    /** What the card of the text's folder says; null where it says nothing. */
    private static String licenseOf(Path text) {
        Path folder = Files.isDirectory(text) ? text : text.toAbsolutePath().getParent();
        try {
            return CardLicense.read(folder).orElse(null);
        } catch (IOException e) {
            throw new DataException(
                    "--data: the license cannot be read from " + CardLicense.card(folder) + ": " + Reason.of(e)
                            + "; give it with --license",
                    e);
        }
    }

    DatasetDescription describe(IndexedDatasetWriter writer, int vocabularySize, DocumentFrame frame) {
        var choice = tokenizer.choice();
        var reference = new DatasetDescription.TokenizerReference(
                choice.name(), choice.options(), tokenizerSha256, vocabularySize);
        return new DatasetDescription(
                DatasetDescription.SCHEMA_VERSION,
                writer.documents(),
                writer.tokens(),
                writer.largestToken(),
                reference,
                source,
                DatasetDescription.Frame.of(frame));
    }

    /**
     * The description of a whole dataset that is there already and was made of the same; empty where there is none.
     *
     * @param registry opens the tokenizer, whose files declare what begins and ends a document
     * @throws io.hirundo.DataException when one is there, but damaged
     */
    Optional<DatasetDescription> existing(Path prefix, StrategyRegistry registry) {
        if (Files.notExists(new DatasetFiles(prefix).index())) {
            return Optional.empty();
        }
        try (var dataset = IndexedDataset.open(prefix)) {
            return dataset.description().filter(this::isOf).filter(description -> hasFrame(description, registry));
        }
    }

    private boolean hasFrame(DatasetDescription description, StrategyRegistry registry) {
        try (Tokenizer open = tokenizer.open(registry)) {
            return DatasetDescription.Frame.of(DocumentFrame.of(open)).equals(description.frame());
        }
    }

    private boolean isOf(DatasetDescription description) {
        var other = description.source();
        return tokenizerSha256.equals(description.tokenizer().sha256())
                && readsSpecialTokens(tokenizer.more())
                        == readsSpecialTokens(description.tokenizer().options())
                && source.fingerprint().equals(other.fingerprint())
                && Objects.equals(source.maximumBytes(), other.maximumBytes())
                && source.seed() == other.seed()
                && Objects.equals(source.textField(), other.textField())
                && Objects.equals(source.format(), other.format());
    }

    private static boolean readsSpecialTokens(Map<String, Object> options) {
        return Boolean.TRUE.equals(options.get(TokenizerArguments.SPECIAL_TOKENS));
    }
}
