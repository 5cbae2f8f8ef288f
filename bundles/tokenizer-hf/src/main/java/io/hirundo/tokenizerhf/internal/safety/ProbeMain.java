package io.hirundo.tokenizerhf.internal.safety;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Main class of the child process that may crash: loads a {@code tokenizer.json} from standard input and uses it. Arguments: the native
 * library, the number of ids, the file's number of bytes, and that of the lines after it, which are texts to encode. Uses only the JDK and the JNI binding, which are on its class path.
 *
 * <p>Ends at once when standard input ends: then its parent is gone, however it died.
 */
public final class ProbeMain {
    /** First character of the output line: accepted, or rejected by the library with a reason. */
    static final char USABLE = '+';

    static final char REJECTED = '-';

    /** Exit code if the parent ended first; nobody sees it. */
    static final int ORPHAN = 4;

    private static final int CHUNK = 2000;
    private static final int MOST_IDS = 400_000;

    private ProbeMain() {}

    /** Prints one line. */
    @SuppressWarnings("restricted")
    public static void main(String[] args) throws IOException {
        String json = new String(System.in.readNBytes(Integer.parseInt(args[2])), StandardCharsets.UTF_8);
        String lines = new String(System.in.readNBytes(Integer.parseInt(args[3])), StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().start(() -> endWithParent(System.in));
        System.load(args[0]);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        TokenizersLibrary library = TokenizersLibrary.LIB;
        long tokenizer;
        try {
            tokenizer = library.createTokenizerFromString(json);
        } catch (RuntimeException e) {
            out.println(REJECTED + String.valueOf(e.getMessage()));
            return;
        }
        library.disableTruncation(tokenizer);
        library.disablePadding(tokenizer);
        exercise(library, tokenizer, Math.min(Integer.parseInt(args[1]), MOST_IDS));
        lines.lines().forEach(line -> encode(library, tokenizer, line));
        library.deleteTokenizer(tokenizer);
        out.println(USABLE);
    }

    private static void endWithParent(InputStream in) {
        try {
            in.readAllBytes();
        } catch (IOException _) {
            // The end of the parent, too.
        }
        Runtime.getRuntime().halt(ORPHAN);
    }

    /** Encodes texts and decodes every id. */
    static void exercise(TokenizersLibrary library, long tokenizer, int ids) {
        for (String text : texts()) {
            encode(library, tokenizer, text);
        }
        for (int first = 0; first < ids; first += CHUNK) {
            long[] chunk = IntStream.range(first, Math.min(ids, first + CHUNK))
                    .asLongStream()
                    .toArray();
            encode(library, tokenizer, library.decode(tokenizer, chunk, false));
        }
    }

    /** Every character of the basic plane and some others, runs, combining marks without a base, and the empty text. */
    private static List<String> texts() {
        StringBuilder all = new StringBuilder();
        IntStream.range(0, 0x30000)
                .filter(point -> point < 0x3000 || point % 7 == 0 || point > 0xF000 && point < 0x1FB00)
                .filter(point -> point < 0xD800 || point > 0xDFFF)
                .forEach(point -> all.appendCodePoint(point).append(point % 8 == 0 ? "\n" : ""));
        return List.of(
                "",
                " ",
                "\0",
                "Hello, world! 1234567",
                "a".repeat(5000),
                " ".repeat(5000) + "x",
                "\n \t".repeat(2000),
                "\u0301\u0301e\u0301",
                "<s></s><unk><|end_of_text|>",
                all.toString());
    }

    private static void encode(TokenizersLibrary library, long tokenizer, String text) {
        try {
            long encoding = library.encode(tokenizer, text, false);
            library.getTokenIds(encoding);
            library.deleteEncoding(encoding);
        } catch (RuntimeException _) {
            // No token for some character: reported when a real text contains it.
        }
    }
}
