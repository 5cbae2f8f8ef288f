package io.hirundo.dataloader.internal.command;

import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.data.Tokenizer;
import io.hirundo.dataloader.internal.indexed.DatasetDescription;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.strategy.StrategyRegistry;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what is in a dataset, and checks all of it. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=data inspect")
@picocli.CommandLine.Command(
        name = "inspect",
        description = {
            "Shows what is in a dataset: counts, lengths, where it came from, and its first documents. Reads all of it, and ends with "
                    + "an error where it is damaged."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo data inspect datasets/japanese",
            "  hirundo data inspect datasets/pile_00 --tokenizer my-model --documents 10"
        })
public final class InspectCommand implements Command {
    private static final int SHOWN_TOKENS = 128;
    private static final int MOST_PATH_CHARS = 1000;

    private final StrategyRegistry registry;
    private final Stop stop;

    @Parameters(paramLabel = "PREFIX", description = "What the dataset's .bin and .idx have in common.")
    private Path prefix;

    @Option(
            names = "--tokenizer",
            paramLabel = "FILE|DIR",
            description =
                    "Shows documents as text, and checks the ids. Default: the one that the dataset was made with, where it is still there.")
    private Path tokenizer;

    @Option(
            names = "--documents",
            paramLabel = "N",
            defaultValue = "3",
            description = "Documents to show. Default: ${DEFAULT-VALUE}.")
    private int documents;

    @Activate
    public InspectCommand(@Reference StrategyRegistry registry, @Reference Interruption interruption) {
        this.registry = registry;
        stop = Stop.on(interruption);
    }

    @Override
    public Integer call() {
        // Text is UTF-8 whatever the terminal's locale says.
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        try (var dataset = IndexedDataset.open(prefix, true, stop)) {
            show(dataset, out);
        }
        out.flush();
        return ExitCode.OK;
    }

    private void show(IndexedDataset dataset, PrintStream out) {
        out.printf(Locale.ROOT, "Dataset    %s, tokens of type %s%n", prefix, dataset.type());
        out.printf(Locale.ROOT, "Documents  %,d%n", dataset.documents());
        out.printf(Locale.ROOT, "Tokens     %,d%n", dataset.tokens());
        dataset.description().ifPresent(description -> show(description, out));
        var census = TokenCensus.of(dataset, stop);
        out.print(census.show());
        Optional<TokenizerFile> file = tokenizerOf(dataset);
        if (file.isEmpty()) {
            show(dataset, out, tokens -> Arrays.toString(tokens));
            return;
        }
        try (Tokenizer open = file.get().open(registry)) {
            if (census.largestToken() >= open.vocabularySize()) {
                throw new DataException(dataset.files().tokens() + " holds token " + census.largestToken()
                        + ", but the vocabulary of " + file.get().path() + " has only " + open.vocabularySize()
                        + ": the dataset was made with another tokenizer");
            }
            show(dataset, out, open::decode);
        }
    }

    private static void show(DatasetDescription description, PrintStream out) {
        var source = description.source();
        var made = description.tokenizer();
        out.printf(
                Locale.ROOT,
                "Source     %s, %s%n",
                Excerpt.of(source.path(), MOST_PATH_CHARS),
                source.maximumBytes() == null
                        ? "all of it"
                        : "at most " + ByteSize.show(source.maximumBytes()) + ", seed " + source.seed());
        out.printf(
                Locale.ROOT, "License    %s%n", source.license() == null ? "not stated" : Excerpt.of(source.license()));
        out.printf(
                Locale.ROOT,
                "Tokenizer  %s, vocabulary of %,d%n",
                Excerpt.of(
                        String.valueOf(made.options().getOrDefault(TokenizerFile.FILE_OPTION, made.name())),
                        MOST_PATH_CHARS),
                made.vocabularySize());
        if (description.frame() != null) {
            out.printf(Locale.ROOT, "Frame      %s%n", description.frame().words());
        }
    }

    /** The tokenizer to show documents with: as asked for, else the dataset's own, as far as it is at hand. */
    private Optional<TokenizerFile> tokenizerOf(IndexedDataset dataset) {
        if (tokenizer != null) {
            return Optional.of(new TokenizerFile(tokenizer, Map.of()));
        }
        boolean readable = registry.list().stream()
                .anyMatch(strategy -> strategy.name().equals(TokenizerFile.STRATEGY)
                        && strategy.kind().equals("tokenizer"));
        return dataset.description()
                .map(DatasetDescription::tokenizer)
                .map(DatasetDescription.TokenizerReference::options)
                // JSON can contain a NUL character, but no path.
                .filter(made -> readable
                        && made.get(TokenizerFile.FILE_OPTION) instanceof String path
                        && path.indexOf('\0') < 0)
                .map(made -> new TokenizerFile(Path.of((String) made.get(TokenizerFile.FILE_OPTION)), made))
                .filter(file -> Files.exists(file.path()));
    }

    /** Makes something readable of tokens. */
    private interface Reader {
        String read(int[] tokens);
    }

    private void show(IndexedDataset dataset, PrintStream out, Reader reader) {
        for (int sequence = 0; sequence < Math.min(documents, dataset.sequences()); sequence++) {
            int length = dataset.length(sequence);
            int[] tokens = new int[Math.min(length, SHOWN_TOKENS)];
            dataset.read(sequence, 0, tokens, 0, tokens.length);
            out.printf(
                    Locale.ROOT,
                    "%n--- document %,d, %,d tokens%n%s%s%n",
                    sequence,
                    length,
                    reader.read(tokens).strip(),
                    length > tokens.length ? " ..." : "");
        }
    }
}
