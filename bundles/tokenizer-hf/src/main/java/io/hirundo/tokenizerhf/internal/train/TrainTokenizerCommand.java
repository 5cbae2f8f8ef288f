package io.hirundo.tokenizerhf.internal.train;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.Terminal;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextFormat;
import io.hirundo.data.TextReader;
import io.hirundo.data.TextSelection;
import io.hirundo.tokenizerhf.internal.files.WholeFile;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;

/** Trains a byte-level BPE tokenizer on a sample of some text. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=data train-tokenizer")
@picocli.CommandLine.Command(
        name = "train-tokenizer",
        description = {
            "Trains a byte-level BPE tokenizer on a sample of some text, and writes it as Hugging Face libraries load it: "
                    + "tokenizer.json and tokenizer_config.json.",
            "The words are split as Llama 3 splits them. The same text and options give the same tokenizer, whatever the machine."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo data train-tokenizer --data \"$JAVA_HOME/lib/src.zip\" --out tokenizers/java",
            "  hirundo data train-tokenizer --data ~/texts --out tokenizers/texts --vocab 32000 --max-bytes 200MB",
            "  hirundo data train-tokenizer --data texts.jsonl.gz --out tokenizers/texts --if-missing"
        })
public final class TrainTokenizerCommand implements Command {
    private static final String TOKENIZER = "tokenizer.json";
    private static final String CONFIGURATION = "tokenizer_config.json";
    private static final int LEAST_VOCABULARY = ByteAlphabet.SIZE + TokenizerJson.SPECIAL_TOKENS.size();
    private static final int LARGEST_VOCABULARY = 1 << 20;

    private final TextReader reader;
    private final Interruption interruption;

    @Option(
            names = "--data",
            paramLabel = "PATH",
            required = true,
            description = "A text file, JSON lines (may be gzipped), a zip or jar, or a folder of those.")
    private Path data;

    @Option(names = "--format", paramLabel = "NAME", description = TextFormat.LAYOUT_HELP)
    private String layout;

    @Option(names = "--text-field", paramLabel = "NAME", description = TextFormat.FIELD_HELP)
    private String textField;

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Folder for the tokenizer's files.")
    private Path out;

    @Option(
            names = "--vocab",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Number of tokens, the two special ones included. Default: ${DEFAULT-VALUE}.")
    private int vocabularySize;

    @Option(
            names = "--max-bytes",
            paramLabel = "SIZE",
            defaultValue = "8MB",
            converter = ByteSize.Converter.class,
            description = "Size of the sample. Default: ${DEFAULT-VALUE}.")
    private ByteSize maximum;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Chooses the sample. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--if-missing",
            description = "Only where DIR has no tokenizer yet, or one made of other text or options.")
    private boolean ifMissing;

    @Activate
    public TrainTokenizerCommand(@Reference TextReader reader, @Reference Interruption interruption) {
        this.reader = reader;
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        if (vocabularySize < LEAST_VOCABULARY || vocabularySize > LARGEST_VOCABULARY) {
            throw new ConfigurationException(
                    "--vocab: " + vocabularySize + " is wrong (allowed: " + LEAST_VOCABULARY + ", for 256 bytes and "
                            + TokenizerJson.SPECIAL_TOKENS.size() + " special tokens, to " + LARGEST_VOCABULARY + ")");
        }
        WholeFile.requireWritable(out.resolve(TOKENIZER));
        WholeFile.requireWritable(out.resolve(CONFIGURATION));
        Provenance.requireWritable(out);
        var format = TextFormat.of(layout, textField);
        TextReader texts = reader.with(format);
        var provenance = Provenance.of(data, format, vocabularySize, maximum.bytes(), seed);
        var progress = new Progress(new PrintStream(System.err, false, StandardCharsets.UTF_8), Terminal.isThere());
        if (Files.exists(out.resolve(TOKENIZER)) && isKept(provenance, progress)) {
            return ExitCode.OK;
        }
        return train(texts, provenance, progress);
    }

    /** Whether the tokenizer that is there stays. */
    private boolean isKept(Provenance provenance, Progress progress) {
        if (!Provenance.isIn(out)) {
            if (ifMissing) {
                progress.say("%s is kept; it was not made by this command", out.resolve(TOKENIZER));
                return true;
            }
            throw new ConfigurationException("--out " + out + " has a tokenizer that was not made by this command: "
                    + "give another folder, or remove its tokenizer.json");
        }
        if (!ifMissing) {
            return false;
        }
        if (provenance.isOf(out)) {
            System.out.println(out.resolve(TOKENIZER) + " is there");
            return true;
        }
        progress.say("%s was made of other text or options: making it again", out.resolve(TOKENIZER));
        return false;
    }

    private int train(TextReader texts, Provenance provenance, Progress progress) {
        long begin = System.nanoTime();
        Map<String, Long> words = countWords(texts, progress);
        if (interruption.isRequested()) {
            return interrupted(progress);
        }
        int ordinaryTokens = vocabularySize - TokenizerJson.SPECIAL_TOKENS.size();
        Vocabulary vocabulary = new PairMerger(words)
                .merge(
                        ordinaryTokens,
                        count -> progress.show("%,d of %,d tokens", count, vocabularySize),
                        interruption::isRequested);
        if (interruption.isRequested()) {
            return interrupted(progress);
        }
        save(new TokenizerJson(vocabulary), provenance);
        int size = vocabulary.tokens().size() + TokenizerJson.SPECIAL_TOKENS.size();
        if (size < vocabularySize) {
            progress.say(
                    "no pair comes twice any more: %,d tokens instead of %,d; more text (--max-bytes) gives more",
                    size, vocabularySize);
        }
        progress.end();
        System.out.printf(
                Locale.ROOT,
                "%s: %,d tokens, %.2f bytes a token on the sample, in %.1f s%n",
                out.resolve(TOKENIZER),
                size,
                bytes(words) / (double) vocabulary.sampleTokens(),
                (System.nanoTime() - begin) / 1e9);
        return ExitCode.OK;
    }

    private Map<String, Long> countWords(TextReader texts, Progress progress) {
        long documents = 0;
        long chars = 0;
        try (Stream<TextDocument> source = texts.read(data, new TextSelection(maximum.bytes(), seed));
                var counter = new WordCounter(Runtime.getRuntime().availableProcessors())) {
            for (Iterator<TextDocument> i = source.iterator(); i.hasNext() && !interruption.isRequested(); ) {
                String text = i.next().text();
                counter.add(text);
                chars += text.length();
                progress.show("reading: %,d documents, %,.1f million characters", ++documents, chars / 1e6);
            }
            Map<String, Long> words = counter.counts();
            if (words.isEmpty() && !interruption.isRequested()) {
                throw new DataException(
                        "text " + data + ": there is no text in it to train on: give another as --data");
            }
            progress.say("%,d documents, %,.1f MB, %,d different words", documents, bytes(words) / 1e6, words.size());
            return words;
        }
    }

    private static long bytes(Map<String, Long> words) {
        return words.entrySet().stream()
                .mapToLong(entry -> entry.getKey().getBytes(StandardCharsets.UTF_8).length * entry.getValue())
                .sum();
    }

    private void save(TokenizerJson files, Provenance provenance) {
        Provenance.forget(out);
        WholeFile.write(out.resolve(CONFIGURATION), files.configuration());
        WholeFile.write(out.resolve(TOKENIZER), files.tokenizer());
        provenance.write(out);
    }

    private static int interrupted(Progress progress) {
        progress.say("interrupted: no tokenizer was written");
        return ExitCode.INTERRUPTED;
    }
}
