package io.hirundo.tokenizerhf.internal.files;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.lib.input.Excerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The tokens that begin and end a text. A choice of the user comes first, then what files declare, then a guess by name.
 *
 * <p>A declared end always ends a document: {@code add_eos_token} is about prompts, and a training needs the borders of documents. A
 * declared begin counts if transformers would add it: {@code add_bos_token} says so, else the post-processor does. Without both it counts.
 *
 * @param begin id
 * @param end id
 * @param remarks what the user should know: guesses, and documents without an end
 */
public record TextFrame(OptionalInt begin, OptionalInt end, List<String> remarks) {
    /** Names of base models, for files that declare nothing. */
    private static final List<String> BEGINNINGS = List.of("<|begin_of_text|>", "<s>", "<bos>");

    private static final List<String> ENDS = List.of("<|end_of_text|>", "<|endoftext|>", "</s>", "<eos>");

    /** The names that a guess looks for. */
    static List<String> names() {
        return Stream.concat(BEGINNINGS.stream(), ENDS.stream()).toList();
    }

    /** @throws DataException if a declared token is not in the vocabulary */
    public static TextFrame of(TextChoice choice, TokenizerDeclarations declared, VocabularyScan scan, String path) {
        var guesses = new ArrayList<String>();
        var post = PostProcessing.of(scan.sections().byName().path("post_processor"));
        for (int id : post.ids()) {
            if (id < 0 || id >= scan.vocabularySize()) {
                throw outside(
                        path,
                        "post_processor adds " + id + ", outside the vocabulary (allowed: 0 to "
                                + (scan.vocabularySize() - 1) + ")",
                        "bos or eos");
            }
        }
        OptionalInt begin = chosen("bos", choice.begin(), scan)
                .orElseGet(
                        () -> addsBegin(declared, post) ? begin(declared, post, scan, guesses) : OptionalInt.empty());
        OptionalInt end = chosen("eos", choice.end(), scan).orElseGet(() -> end(declared, post, scan, guesses));
        var remarks = new ArrayList<String>();
        if (!guesses.isEmpty()) {
            remarks.add("tokenizer " + path + ": no file declares what begins and ends a text, so names decide: "
                    + String.join(", ", guesses)
                    + "; choose with --bos and --eos, or the options bos and eos of data.tokenizer");
        }
        if (end.isEmpty() && choice.end().isEmpty()) {
            remarks.add("tokenizer " + path
                    + ": it has no token that ends a text, so nothing separates documents; give one with --eos, or the"
                    + " option eos of data.tokenizer");
        }
        if (end.isPresent() && choice.end().isEmpty() && !declared.addEnd().orElse(true)) {
            remarks.add(
                    "tokenizer " + path + ": add_eos_token is false, which is about prompts: token " + end.getAsInt()
                            + " ends each document all the same; to leave it out, give --eos none, or the option eos of data.tokenizer");
        }
        return new TextFrame(begin, end, remarks);
    }

    private static Optional<OptionalInt> chosen(String name, Optional<OptionalInt> id, VocabularyScan scan) {
        if (id.isPresent() && id.get().isPresent() && id.get().getAsInt() >= scan.vocabularySize()) {
            throw new ConfigurationException("tokenizer huggingface: " + name + ": "
                    + id.get().getAsInt() + " is outside the vocabulary (allowed: 0 to " + (scan.vocabularySize() - 1)
                    + ", or none)");
        }
        return id;
    }

    private static boolean addsBegin(TokenizerDeclarations declared, PostProcessing post) {
        return declared.addBegin().orElse(!post.isThere() || post.begin().isPresent());
    }

    private static OptionalInt begin(
            TokenizerDeclarations declared, PostProcessing post, VocabularyScan scan, List<String> guesses) {
        if (declared.begin() instanceof TokenizerDeclarations.Named) {
            return declared(declared.begin(), scan, "bos");
        }
        if (post.begin().isPresent()) {
            return post.begin();
        }
        return declared.begin() instanceof TokenizerDeclarations.Silent
                ? guess(BEGINNINGS, scan, "bos", guesses)
                : declared(declared.begin(), scan, "bos");
    }

    private static OptionalInt end(
            TokenizerDeclarations declared, PostProcessing post, VocabularyScan scan, List<String> guesses) {
        OptionalInt end;
        if (declared.end() instanceof TokenizerDeclarations.Named) {
            end = declared(declared.end(), scan, "eos");
        } else if (post.end().isPresent()) {
            end = post.end();
        } else if (declared.end() instanceof TokenizerDeclarations.Silent) {
            end = guess(ENDS, scan, "eos", guesses);
        } else {
            end = declared(declared.end(), scan, "eos");
        }
        return end;
    }

    private static OptionalInt declared(TokenizerDeclarations.Token token, VocabularyScan scan, String option) {
        return switch (token) {
            case TokenizerDeclarations.Named named -> {
                Integer id = scan.id(named.name());
                if (id == null) {
                    throw outside(
                            named.file(),
                            named.key() + " is '" + Excerpt.of(named.name()) + "', which is not in the vocabulary",
                            option);
                }
                yield OptionalInt.of(id);
            }
            case TokenizerDeclarations.Numbered numbered -> {
                if (numbered.id() >= scan.vocabularySize()) {
                    throw outside(
                            numbered.file(),
                            numbered.key() + " is " + numbered.id() + ", outside the vocabulary (allowed: 0 to "
                                    + (scan.vocabularySize() - 1) + ")",
                            option);
                }
                yield OptionalInt.of(numbered.id());
            }
            case TokenizerDeclarations.None _, TokenizerDeclarations.Silent _ -> OptionalInt.empty();
        };
    }

    private static DataException outside(String file, String what, String option) {
        return new DataException("tokenizer " + file + ": " + what + "; correct it, or choose with the option " + option
                + ", an id or none");
    }

    private static OptionalInt guess(List<String> names, VocabularyScan scan, String option, List<String> guesses) {
        Set<String> special = AddedTokens.special(scan, OptionalInt.empty(), OptionalInt.empty())
                .ids()
                .keySet();
        // Special tokens first: Gemma's vocabulary has </s> as a word of HTML.
        Optional<String> found = Stream.concat(
                        names.stream().filter(special::contains), names.stream().filter(name -> scan.id(name) != null))
                .findFirst();
        if (found.isEmpty()) {
            return OptionalInt.empty();
        }
        int id = scan.id(found.get());
        guesses.add(option + " " + found.get() + " (" + id + ")");
        return OptionalInt.of(id);
    }
}
