package io.hirundo.dataloader.internal.command;

import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.Terminal;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextFormat.Layout;
import io.hirundo.data.TextReader;
import io.hirundo.data.TextSelection;
import io.hirundo.data.Tokenizer;
import io.hirundo.dataloader.internal.indexed.IndexedDatasetWriter;
import io.hirundo.dataloader.internal.indexed.TokenType;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.dataloader.internal.text.DocumentFormat;
import io.hirundo.dataloader.internal.text.FileTextReader;
import io.hirundo.strategy.StrategyRegistry;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import java.util.OptionalLong;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes a dataset of text. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=data tokenize")
@picocli.CommandLine.Command(
        name = "tokenize",
        description = {
            "Makes a dataset of text: PREFIX.bin and PREFIX.idx, as Megatron's tools write them, and a PREFIX.json that names the "
                    + "sources.",
            "PATH is a text file, JSON lines, a zip or jar (each of the first two perhaps gzipped), or a folder of those. In folders "
                    + "and archives every file is a document, in JSON lines every line; a text alone is cut at blank lines.",
            "JSON lines are recognized by their first lines, whatever the file is called. Other JSON is an error without --format text.",
            "Each document stands between the tokens that begin and end one, as far as the tokenizer's folder declares them "
                    + "or --bos and --eos choose them.",
            "Ctrl-C leaves nothing behind."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo data tokenize --tokenizer my-model --data texts/ --out datasets/texts",
            "  hirundo data tokenize --tokenizer tok --data src.zip --out datasets/java --max-bytes 20MB",
            "  hirundo data tokenize --tokenizer tok --data web.jsonl.gz --text-field content --out sets/web"
        })
public final class TokenizeCommand implements Command {
    private final StrategyRegistry registry;
    private final TextReader texts;
    private final Interruption interruption;

    @Mixin
    private TokenizerArguments tokenizer;

    @Option(names = "--data", paramLabel = "PATH", required = true, description = "The text.")
    private Path data;

    @Option(
            names = "--out",
            paramLabel = "PREFIX",
            required = true,
            description = "What the dataset is called; missing folders are made.")
    private Path out;

    @ArgGroup
    private Amount amount = new Amount();

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Other seeds choose other documents. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private FormatOptions options = new FormatOptions();

    @Option(
            names = "--max-document-bytes",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            description =
                    "Largest line of JSON, and file that is one document; a larger one is an error, since tokenizing takes some seventy "
                            + "times as much memory. Default: 16MiB.")
    private Long maxDocumentBytes;

    @Option(
            names = "--license",
            paramLabel = "NAME",
            description =
                    "License of the text, for the card of models that are trained on it: cc0-1.0, for instance. Default: the license in "
                            + "the front matter of README.md in the folder of the text.")
    private String license;

    @Option(
            names = "--if-missing",
            description = "Keeps a dataset that was made of the same text, tokenizer and options.")
    private boolean ifMissing;

    /** How much of the text. */
    static final class Amount {
        @Option(
                names = "--max-bytes",
                paramLabel = "SIZE",
                converter = ByteSize.class,
                description = "Of more text than this (20MB, 1.5GB), a choice from all of it.")
        private Long maximumBytes;

        @Option(names = "--all", description = "All of the text. The default.")
        @SuppressWarnings("UnusedVariable") // says what is so anyway; the group keeps it from contradicting the size
        private boolean all;
    }

    @Activate
    public TokenizeCommand(
            @Reference StrategyRegistry registry, @Reference TextReader texts, @Reference Interruption interruption) {
        this.registry = registry;
        this.texts = texts;
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        var selection = amount.maximumBytes == null ? TextSelection.ALL : new TextSelection(amount.maximumBytes, seed);
        var recipe = DatasetRecipe.of(
                tokenizer.file(),
                new DatasetRecipe.Text(data, options.format(), license),
                selection,
                Stop.on(interruption));
        return ifMissing && isThere(recipe) ? ExitCode.OK : make(recipe, selection);
    }

    private boolean isThere(DatasetRecipe recipe) {
        try {
            var existing = recipe.existing(out, registry);
            existing.ifPresent(dataset -> System.out.printf(
                    Locale.ROOT,
                    "%s is there: %,d documents, %,d tokens%n",
                    out,
                    dataset.documents(),
                    dataset.tokens()));
            return existing.isPresent();
        } catch (DataException damaged) {
            System.err.println(damaged.getMessage() + ": making it again");
            return false;
        }
    }

    private int make(DatasetRecipe recipe, TextSelection selection) {
        TextReader reader = maxDocumentBytes == null
                ? texts.with(options.format())
                : ofLargeDocuments().with(options.format());
        OptionalLong there = reader.approximateBytes(data);
        OptionalLong expected =
                there.isPresent() ? OptionalLong.of(Math.min(there.getAsLong(), selection.maximumBytes())) : there;
        try (Tokenizer open = recipe.tokenizer().open(registry);
                var documents = reader.read(data, selection)) {
            var iterator = documents.iterator();
            // Before anything is made.
            if (!iterator.hasNext()) {
                throw new DataException("--data: " + data + " holds no text");
            }
            return write(iterator, open, recipe, expected);
        }
    }

    private TextReader ofLargeDocuments() {
        int maximum = (int) Math.min(maxDocumentBytes, Integer.MAX_VALUE);
        return new FileTextReader(
                new DocumentFormat(Layout.AUTO, DocumentFormat.DEFAULT_TEXT_FIELD, maximum), Stop.on(interruption));
    }

    private int write(
            Iterator<TextDocument> documents, Tokenizer open, DatasetRecipe recipe, OptionalLong expectedBytes) {
        try (var writer = IndexedDatasetWriter.create(out, TokenType.forVocabulary(open.vocabularySize()))) {
            var progress = new TokenizeProgress(System.err, Terminal.isThere(), expectedBytes, System::nanoTime);
            var encoder = new DocumentEncoder(open);
            var pipeline = new TokenizePipeline(encoder, Runtime.getRuntime().availableProcessors());
            boolean whole;
            try {
                whole = pipeline.run(documents, writer, progress, interruption::isRequested);
            } finally {
                progress.end();
            }
            if (!whole) {
                System.err.println("stopped: " + out + " was not written");
                return ExitCode.INTERRUPTED;
            }
            writer.commit(finished -> recipe.describe(finished, open.vocabularySize(), encoder.frame()));
            System.out.printf(
                    Locale.ROOT,
                    "%s: %,d documents, %,d tokens, in %.1f s%n",
                    out,
                    writer.documents(),
                    writer.tokens(),
                    progress.elapsedNanos() / 1e9);
            System.out.print(tokenizer.describe(encoder.met()));
            return ExitCode.OK;
        }
    }
}
