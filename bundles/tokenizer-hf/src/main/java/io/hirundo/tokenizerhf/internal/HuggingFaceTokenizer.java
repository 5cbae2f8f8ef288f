package io.hirundo.tokenizerhf.internal;

import io.hirundo.DataException;
import io.hirundo.command.Interruption;
import io.hirundo.data.SpecialTokens;
import io.hirundo.data.Tokenizer;
import io.hirundo.tokenizerhf.internal.files.SavedConfiguration;
import io.hirundo.tokenizerhf.internal.files.TokenizerFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.slf4j.LoggerFactory;

/**
 * Any {@code tokenizer.json}, by the Hugging Face library. Nothing is read before the first call. Thread-safe.
 *
 * <p>Encodes a lone surrogate, which UTF-8 cannot represent, as U+FFFD. The name of a special token in a text stays text, as with
 * {@code split_special_tokens} of transformers. The library has no such switch here, so texts with a name are encoded by a second instance,
 * which has the special tokens under names that no text contains ({@link TextOnlyTokenizer}).
 */
final class HuggingFaceTokenizer implements Tokenizer {
    private final NativeLibrary library;
    private final Interruption interruption;
    private final Path source;
    private final HuggingFaceOptions options;
    private Opened opened;
    /** Created by the first text with the name of a special token. */
    private NativeTokenizer textOnly;

    private boolean closed;

    /** @throws java.nio.file.InvalidPathException if the file of the options is no path */
    HuggingFaceTokenizer(NativeLibrary library, HuggingFaceOptions options, Interruption interruption) {
        this.interruption = interruption;
        this.library = library;
        this.source = Path.of(options.file());
        this.options = options;
    }

    /** Created by the first call. */
    private record Opened(TokenizerFiles files, TokenizerDescription description, NativeTokenizer tokenizer) {}

    private synchronized Opened opened() {
        if (closed) {
            throw new IllegalStateException("the tokenizer of " + source + " is closed");
        }
        if (opened == null) {
            opened = open();
        }
        return opened;
    }

    private Opened open() {
        var files = TokenizerFiles.read(source);
        var description = TokenizerDescription.of(files, options);
        library.probe(interruption)
                .require(files.tokenizer(), description.scan(), files.path().toString());
        var tokenizer = load(files, files.tokenizer());
        description
                .frame()
                .remarks()
                .forEach(remark ->
                        LoggerFactory.getLogger(HuggingFaceTokenizer.class).warn(remark));
        return new Opened(files, description, tokenizer);
    }

    private NativeTokenizer load(TokenizerFiles files, byte[] json) {
        try {
            return new NativeTokenizer(library.get(), new String(json, StandardCharsets.UTF_8));
        } catch (NativeTokenizer.FailedException e) {
            throw new DataException(
                    "tokenizer " + files.path() + ": the Hugging Face library does not accept it (" + e.getMessage()
                            + "): save it again with a current version of the tool that made it",
                    e);
        }
    }

    private synchronized NativeTokenizer textOnly(Opened open) {
        if (closed) {
            throw new IllegalStateException("the tokenizer of " + source + " is closed");
        }
        if (textOnly == null) {
            textOnly = load(open.files(), TextOnlyTokenizer.of(open.files(), open.description()));
        }
        return textOnly;
    }

    @Override
    public int vocabularySize() {
        return opened().description().vocabularySize();
    }

    @Override
    public SpecialTokens specialTokens() {
        return opened().description().special();
    }

    @Override
    public int[] encode(String text) {
        return encode(text, options.specialTokensInText());
    }

    @Override
    public int[] encodeWithSpecialTokens(String text) {
        return encode(text, true);
    }

    private int[] encode(String text, boolean specialTokens) {
        var open = opened();
        String valid = wellFormed(text);
        var tokenizer = specialTokens || !TextOnlyTokenizer.differsFor(valid, open.description())
                ? open.tokenizer()
                : textOnly(open);
        if (!open.description().hasSafeBorders()) {
            return encode(open, tokenizer, valid);
        }
        List<String> pieces = SafeBorders.split(valid);
        if (pieces.size() == 1) {
            return encode(open, tokenizer, valid);
        }
        int[] ids = new int[valid.length() / 3];
        int count = 0;
        for (String piece : pieces) {
            int[] more = encode(open, tokenizer, piece);
            if (count + more.length > ids.length) {
                ids = Arrays.copyOf(ids, Math.max(count + more.length, ids.length + ids.length / 2));
            }
            System.arraycopy(more, 0, ids, count, more.length);
            count += more.length;
        }
        return Arrays.copyOf(ids, count);
    }

    private static int[] encode(Opened open, NativeTokenizer tokenizer, String text) {
        open.description().patterns().require(text, open.files().path().toString());
        try {
            return tokenizer.encode(text);
        } catch (NativeTokenizer.FailedException e) {
            throw new DataException(
                    "tokenizer " + open.files().path() + ": it cannot encode a text (" + e.getMessage()
                            + "): give it a token for what it does not know, or use another tokenizer",
                    e);
        }
    }

    /** The text, or a copy without lone surrogates. */
    private static String wellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Character.isSurrogate(c)) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
                continue;
            }
            return text.codePoints()
                    .map(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 0xFFFD : point)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
        }
        return text;
    }

    @Override
    public String decode(int[] ids) {
        return opened().tokenizer().decode(ids);
    }

    @Override
    public OptionalInt beginOfText() {
        return opened().description().frame().begin();
    }

    @Override
    public OptionalInt endOfText() {
        return opened().description().frame().end();
    }

    @Override
    public void save(Path directory) {
        var open = opened();
        open.files()
                .save(
                        directory,
                        SavedConfiguration.of(
                                options.choice(),
                                open.files(),
                                open.description().scan()));
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (opened != null) {
            opened.tokenizer().close();
            opened = null;
        }
        if (textOnly != null) {
            textOnly.close();
            textOnly = null;
        }
    }
}
