package io.hirundo.lib.configuration.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import io.hirundo.train.RunFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Reads JSON and YAML documents into plain values. Duplicate keys are errors, and YAML tags cannot create objects. */
public final class Documents {
    /** Maximum nesting depth of objects and lists, which limits the stack depth of the parser. */
    public static final int MAX_LEVELS = 100;

    /** Maximum digits of a number, more than any setting needs. */
    static final int MAX_DIGITS = 1_000;

    /** Maximum size of a document: about 1000 times that of a long configuration, and the limit of the YAML parser in characters. */
    private static final int LARGEST_BYTES = 3 << 20;

    private static final StreamReadConstraints LIMITS = StreamReadConstraints.builder()
            .maxNestingDepth(MAX_LEVELS)
            .maxNumberLength(MAX_DIGITS)
            .build();

    private Documents() {}

    /**
     * Reads a file. Its extension selects JSON or YAML.
     *
     * @throws ConfigurationException if the file does not exist or is invalid
     */
    public static Map<String, Object> read(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        boolean isYaml = name.endsWith(".yaml") || name.endsWith(".yml");
        if (Files.isDirectory(file)) {
            Path ofRun = file.resolve(RunFolder.CONFIGURATION);
            throw new ConfigurationException(file + ": is a folder; give "
                    + (Files.exists(ofRun) ? ofRun.toString() : "the configuration file in it"));
        } else if (Files.exists(file) && !isYaml && !name.endsWith(".json")) {
            throw new ConfigurationException(
                    file + ": cannot tell JSON from YAML; allowed: names that end in .json, .yaml or .yml");
        }
        try {
            return parse(file.toString(), text(file), isYaml);
        } catch (NoSuchFileException e) {
            throw new ConfigurationException(
                    file
                            + ": no such file; give an existing one (examples/ in Hirundo's sources has configurations, examples/synthetic.yaml to begin with)",
                    e);
        } catch (AccessDeniedException e) {
            throw new ConfigurationException(file + ": permission denied; make the file readable", e);
        } catch (IrregularFileException | FileTooLargeException e) {
            throw new ConfigurationException(Reason.of(e) + "; give a YAML or JSON file", e);
        } catch (FileSystemException e) {
            throw new ConfigurationException(file + ": cannot be read: " + e.getReason(), e);
        } catch (IOException e) {
            throw new ConfigurationException(file + ": cannot be read: " + Reason.of(e), e);
        }
    }

    private static String text(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(InputFiles.readAllBytes(file, LARGEST_BYTES));
        CharBuffer text = CharBuffer.allocate(bytes.remaining());
        if (StandardCharsets.UTF_8.newDecoder().decode(bytes, text, true).isError()) {
            long line = 1 + text.flip().chars().filter(c -> c == '\n').count();
            throw new ConfigurationException(file + ", line " + line + ": is not UTF-8 text; save the file as UTF-8");
        }
        return text.flip().toString();
    }

    /**
     * Parses a document.
     *
     * @param subject name of the document in messages
     */
    public static Map<String, Object> parse(String subject, String text, boolean isYaml) {
        if (!(value(subject, text, isYaml) instanceof Map<?, ?> document)) {
            throw new ConfigurationException(
                    subject + ": is not an object; allowed: keys with values, run: {name: x} for instance");
        }
        return stringKeys(document);
    }

    /** Parses any value; an empty text is {@code null}. */
    public static Object value(String subject, String text, boolean isYaml) {
        // Editors on Windows may write a byte order mark.
        String content = text.startsWith("\uFEFF") ? text.substring(1) : text;
        try (JsonParser parser = factory(isYaml).createParser(content)) {
            return read(parser, isYaml);
        } catch (SyntaxFault e) {
            throw new ConfigurationException(subject + e.place() + ": " + Reason.of(e), e);
        } catch (IOException e) {
            throw new ConfigurationException(subject + ": " + Reason.of(e), e);
        }
    }

    private static Object read(JsonParser parser, boolean isYaml) throws IOException {
        try {
            return new DocumentReader(parser).read();
        } catch (JsonProcessingException e) {
            throw ParserMessage.of(e, parser, isYaml);
        }
    }

    private static JsonFactory factory(boolean isYaml) {
        // YAML 1.1 reads yes, no, on and off as booleans, which surprises users.
        return (isYaml
                        ? YAMLFactory.builder().enable(YAMLParser.Feature.PARSE_BOOLEAN_LIKE_WORDS_AS_STRINGS)
                        : JsonFactory.builder())
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .streamReadConstraints(LIMITS)
                .build();
    }

    @SuppressWarnings("unchecked") // the reader creates only string keys
    private static Map<String, Object> stringKeys(Map<?, ?> document) {
        return (Map<String, Object>) document;
    }
}
