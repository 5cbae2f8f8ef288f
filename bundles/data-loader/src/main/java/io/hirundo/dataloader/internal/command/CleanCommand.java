package io.hirundo.dataloader.internal.command;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextReader;
import io.hirundo.data.TextSelection;
import io.hirundo.dataloader.internal.clean.TextCleaner;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.dataloader.internal.text.SourceFiles;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.regex.PatternSyntaxException;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Prepares text for training. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=data clean")
@picocli.CommandLine.Command(
        name = "clean",
        description = {
            "Prepares text for training: drops license headers, copyright notices and marks of generated files, and every paragraph of whose "
                    + "five-word sequences at least 80 %% came before, whatever its digits, case and punctuation.",
            "Writes JSON lines, one document a line, in an order that depends on the documents' names only. The same text and options give the "
                    + "same file. Needs memory for the cleaned text, and up to 32 bytes for each of its words."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo data clean --data texts/ --out clean.jsonl --held-out held-out.jsonl",
            "  hirundo data clean --data \"$JAVA_HOME/lib/src.zip\" --extract javadoc --include 'java.base/java/**' --out java.jsonl"
        })
public final class CleanCommand implements Command {
    private final TextReader texts;
    private final Interruption interruption;

    @Option(
            names = "--data",
            paramLabel = "PATH",
            required = true,
            description = "A text file, JSON lines (may be gzipped), a zip or jar, or a folder of those.")
    private Path data;

    @Mixin
    private FormatOptions options = new FormatOptions();

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "The cleaned text, as JSON lines.")
    private Path out;

    @Option(
            names = "--held-out",
            paramLabel = "FILE",
            description = "Sets one document in fifty apart, for hirundo eval. Without it all goes to --out.")
    private Path heldOut;

    @Option(
            names = "--extract",
            paramLabel = "WHAT",
            defaultValue = "all",
            converter = ExtractName.class,
            description =
                    "all: the whole text. javadoc: the prose of the documentation comments in .java files, without tags, markup, code and "
                            + "tables; other files are left out. Default: ${DEFAULT-VALUE}.")
    private TextCleaner.Extract extract;

    @Option(
            names = "--include",
            paramLabel = "GLOB",
            description =
                    "Only files whose path below the folder, or in the archive, matches: 'java.base/java/**'. May be given several times.")
    private List<String> include = List.of();

    @Option(
            names = "--least-chars",
            paramLabel = "N",
            defaultValue = "200",
            description = "Drops documents of which fewer characters are left. Default: ${DEFAULT-VALUE}.")
    private int leastChars;

    @Option(names = "--if-missing", description = "Keeps a file that was made of the same text and options.")
    private boolean ifMissing;

    /** Picocli wants constants as they are written in Java. */
    static final class ExtractName implements ITypeConverter<TextCleaner.Extract> {
        @Override
        public TextCleaner.Extract convert(String name) {
            return switch (name) {
                case "all" -> TextCleaner.Extract.ALL;
                case "javadoc" -> TextCleaner.Extract.JAVADOC;
                default -> throw new TypeConversionException("'" + name + "' is wrong (allowed: all, javadoc)");
            };
        }
    }

    @Activate
    public CleanCommand(@Reference TextReader texts, @Reference Interruption interruption) {
        this.texts = texts;
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        List<PathMatcher> matchers = include.stream().map(CleanCommand::matcher).toList();
        var format = options.format();
        var files = new CleanedFiles(out, heldOut);
        String recipe = CleanedFiles.recipe(
                SourceFiles.list(data, Stop.on(interruption)),
                format.layoutName(),
                String.valueOf(format.textField()),
                extract.name(),
                String.join(" ", include),
                Integer.toString(leastChars));
        if (ifMissing && files.areOf(recipe)) {
            System.out.println(out + " is there");
            return ExitCode.OK;
        }
        files.requireWritable();
        var cleaner = new TextCleaner(extract, leastChars);
        if (!cleanAll(texts.with(format), matchers, cleaner, files)) {
            System.err.println("stopped: " + out + " was not written");
            return ExitCode.INTERRUPTED;
        }
        var counts = cleaner.counts();
        if (counts.kept() == 0) {
            throw new DataException("--data: nothing is left of the " + counts.documents() + " documents of " + data
                    + " that match; give other text," + " --extract all, another --include or a smaller --least-chars");
        }
        files.write(recipe);
        String apart =
                heldOut == null ? "" : String.format(Locale.ROOT, ", and %,d held out in %s", files.heldOut(), heldOut);
        System.out.printf(
                Locale.ROOT,
                "%s: %,d of %,d documents%s, %s; dropped %,d paragraphs of licenses and notices, and %,d near-duplicates%n",
                out,
                counts.kept() - files.heldOut(),
                counts.documents(),
                apart,
                ByteSize.show(files.bytes()),
                counts.boilerplate(),
                counts.repeated());
        return ExitCode.OK;
    }

    private static PathMatcher matcher(String glob) {
        try {
            return FileSystems.getDefault().getPathMatcher("glob:" + glob);
        } catch (PatternSyntaxException e) {
            throw new ConfigurationException(
                    "--include: '" + glob + "' is no pattern for paths: " + e.getDescription()
                            + "; for all Java files give '**.java'",
                    e);
        }
    }

    /** An archive can name what no file system can: a NUL character. No pattern matches it. */
    private static boolean isPath(String name) {
        return name.indexOf('\0') < 0;
    }

    /** False when it was interrupted. */
    private boolean cleanAll(TextReader reader, List<PathMatcher> matchers, TextCleaner cleaner, CleanedFiles files) {
        try (var documents = reader.read(data, TextSelection.ALL)) {
            for (Iterator<TextDocument> i = documents.iterator(); i.hasNext(); ) {
                if (interruption.isRequested()) {
                    return false;
                }
                TextDocument document = i.next();
                String name = name(document);
                if (matchers.isEmpty()
                        || isPath(name) && matchers.stream().anyMatch(matcher -> matcher.matches(Path.of(name)))) {
                    cleaner.clean(name, document.text()).ifPresent(text -> files.add(name, text));
                }
            }
        }
        return true;
    }

    /** Below the source: {@code java.base/java/lang/String.java}. */
    private String name(TextDocument document) {
        return document.origin()
                .substring(Math.min(document.origin().length(), data.toString().length()))
                .replaceFirst("^[/!]", "");
    }
}
