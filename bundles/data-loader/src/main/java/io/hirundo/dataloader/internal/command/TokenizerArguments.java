package io.hirundo.dataloader.internal.command;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** Arguments that name a tokenizer and say how it reads documents. */
final class TokenizerArguments {
    static final String SPECIAL_TOKENS = "specialTokensInText";
    private static final int MOST_NAMES = 8;

    @Option(
            names = "--tokenizer",
            paramLabel = "FILE|DIR",
            required = true,
            description = "A tokenizer.json, or a folder with one.")
    private Path tokenizer;

    @Option(
            names = "--bos",
            paramLabel = "ID|none",
            description = "Token that begins each document. Default: as the tokenizer's folder declares.")
    private String begin;

    @Option(
            names = "--eos",
            paramLabel = "ID|none",
            description = "Token that ends each document. Default: as the tokenizer's folder declares.")
    private String end;

    @Option(
            names = "--special-tokens",
            description =
                    "Turns names of special tokens in documents, such as <|end_of_text|>, into these tokens. By default they stay text.")
    private boolean specialTokens;

    TokenizerFile file() {
        Map<String, Object> more = new LinkedHashMap<>();
        if (begin != null) {
            more.put("bos", begin);
        }
        if (end != null) {
            more.put("eos", end);
        }
        if (specialTokens) {
            more.put(SPECIAL_TOKENS, true);
        }
        return new TokenizerFile(tokenizer, more);
    }

    /** A line about the names of special tokens that documents contained; empty without any. */
    String describe(SortedMap<String, Long> met) {
        if (met.isEmpty()) {
            return "";
        }
        String names = met.entrySet().stream()
                .limit(MOST_NAMES)
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining(", "));
        return "names of special tokens in documents: " + names
                + (met.size() > MOST_NAMES ? ", and " + (met.size() - MOST_NAMES) + " others" : "")
                + (specialTokens ? " (became tokens)" : " (stayed text; --special-tokens makes them tokens)")
                + System.lineSeparator();
    }
}
