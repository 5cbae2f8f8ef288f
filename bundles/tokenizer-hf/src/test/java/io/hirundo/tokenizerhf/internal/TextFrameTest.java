package io.hirundo.tokenizerhf.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.data.Tokenizer;
import io.hirundo.tokenizerhf.internal.files.TextFrame;
import io.hirundo.tokenizerhf.internal.files.TokenizerFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A vocabulary of a, &lt;s>, &lt;/s> and two more special tokens: ids 0 to 4. */
class TextFrameTest {
    private static final List<String> NAMES = List.of("<s>", "</s>", "<bos>", "<eos>");

    @TempDir
    private Path folder;

    private void write(String name, String json) throws IOException {
        if (json != null) {
            Files.writeString(folder.resolve(name), json.replace('\'', '"'));
        }
    }

    private void tokenizer(List<Integer> ids, String postProcessor) throws IOException {
        String added = IntStream.range(0, NAMES.size())
                .mapToObj(i ->
                        "{'id': %d, 'content': '%s', 'single_word': false, 'lstrip': false, 'rstrip': false, 'normalized': false, 'special': %b}"
                                .formatted(
                                        ids.get(i), NAMES.get(i), !NAMES.get(i).contains("s>") || i > 1))
                .collect(Collectors.joining(", "));
        write(
                "tokenizer.json",
                "{'added_tokens': [" + added + "], 'post_processor': " + postProcessor
                        + ", 'model': {'type': 'WordLevel', 'vocab': {'a': 0}, 'unk_token': 'a'}}");
    }

    private TextFrame frame(Object begin, Object end) {
        var options = new HuggingFaceOptions(folder.toString(), begin, end, false);
        return TokenizerDescription.of(TokenizerFiles.read(folder), options).frame();
    }

    private static String words(TextFrame frame) {
        return words(frame.begin()) + " " + words(frame.end());
    }

    private static String words(OptionalInt id) {
        return id.isPresent() ? String.valueOf(id.getAsInt()) : "none";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                // tokenizer_config.json; special_tokens_map.json; generation_config.json; config.json; begin and end
                "{'bos_token': '<bos>', 'eos_token': '<eos>'};;;; 3 4",
                "{'bos_token': {'__type': 'AddedToken', 'content': '<bos>'}, 'eos_token': '<eos>'};;; {'bos_token_id': 1, 'eos_token_id': 2}; 3 4",
                "; {'bos_token': '<bos>', 'eos_token': {'content': '<eos>'}}; {'eos_token_id': 2};; 3 4",
                // As transformers: the map decides, unless the configuration lists the added tokens.
                "{'eos_token': '</s>', 'bos_token': '<s>'}; {'eos_token': '<eos>'};;; 1 4",
                "{'eos_token': '</s>', 'bos_token': '<s>', 'added_tokens_decoder': {}}; {'eos_token': '<eos>', 'bos_token': '<bos>'};;; 1 2",
                ";; {'bos_token_id': 3, 'eos_token_id': [4, 2]}; {'bos_token_id': 1, 'eos_token_id': 2}; 3 4",
                ";; {'temperature': 0.6, 'eos_token_id': []}; {'bos_token_id': 3, 'eos_token_id': 4}; 3 4",
                ";; {'eos_token_id': null}; {'bos_token_id': null, 'eos_token_id': [4]}; 3 4",
                // Qwen: no begin, although its configuration has an id for one.
                "{'bos_token': null, 'eos_token': '<eos>'};; {'bos_token_id': 4, 'eos_token_id': [2, 4]};; none 4",
                "{'bos_token': '', 'eos_token': null};;; {'bos_token_id': 1, 'eos_token_id': 4}; none 4",
                "{'bos_token': null, 'eos_token': null};;;; none none",
                "{'bos_token': '<bos>', 'eos_token': '<eos>', 'add_bos_token': false, 'add_eos_token': false};;;; none 4",
                "{'bos_token': '<bos>', 'eos_token': '<eos>', 'add_bos_token': true, 'add_eos_token': true};;;; 3 4",
            })
    void takesWhatTheFilesDeclare(String config, String map, String generation, String model, String expected)
            throws IOException {
        tokenizer(List.of(1, 2, 3, 4), "null");
        write("tokenizer_config.json", config);
        write("special_tokens_map.json", map);
        write("generation_config.json", generation);
        write("config.json", model);
        TextFrame frame = frame(null, null);
        // The one case without begin in any file guesses it, the only one with a remark about it.
        assertEquals(expected, words(frame));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "null; {'bos_token': '<bos>', 'eos_token': '<eos>'}; 3 4",
                // GPT-2 and Qwen: nothing is put around a text.
                "{'type': 'ByteLevel'}; {'bos_token': '<bos>', 'eos_token': '<eos>'}; none 4",
                "{'type': 'ByteLevel'}; {'bos_token': '<bos>', 'eos_token': '<eos>', 'add_bos_token': true}; 3 4",
                // Llama 3
                "{'type': 'Sequence', 'processors': [{'type': 'ByteLevel'}, TEMPLATE]}; {'bos_token': '<bos>', 'eos_token': '<eos>'}; 3 4",
                "TEMPLATE; {'bos_token': '<bos>', 'eos_token': '<eos>', 'add_bos_token': false}; none 4",
                "TEMPLATE; {'eos_token': '<eos>'}; 3 4",
                "TEMPLATE; {'bos_token': null, 'eos_token': '<eos>'}; 3 4",
                "{'type': 'BertProcessing', 'sep': ['<eos>', 4], 'cls': ['<bos>', 3]}; {}; 3 4",
            })
    void beginsATextAsTransformersWould(String postProcessor, String config, String expected) throws IOException {
        String template =
                "{'type': 'TemplateProcessing', 'single': [{'SpecialToken': {'id': '<bos>', 'type_id': 0}}, {'Sequence': {'id': 'A', 'type_id': 0}}],"
                        + " 'pair': [], 'special_tokens': {'<bos>': {'id': '<bos>', 'ids': [3], 'tokens': ['<bos>']}}}";
        tokenizer(List.of(1, 2, 3, 4), postProcessor.replace("TEMPLATE", template));
        write("tokenizer_config.json", config);
        assertEquals(expected, words(frame(null, null)));
    }

    @Test
    void saysThatAnEndIsWrittenWhereTransformersWritesNone() throws IOException {
        tokenizer(List.of(1, 2, 3, 4), "null");
        write("tokenizer_config.json", "{'bos_token': '<bos>', 'eos_token': '<eos>', 'add_eos_token': false}");
        List<String> remarks = frame(null, null).remarks();
        assertEquals(1, remarks.size());
        assertTrue(
                remarks.getFirst().contains("add_eos_token is false")
                        && remarks.getFirst().contains("token 4 ends each document"),
                remarks::toString);
        assertEquals(List.of(), frame(null, "none").remarks());
        write("tokenizer_config.json", "{'bos_token': '<bos>', 'eos_token': '<eos>', 'add_eos_token': true}");
        assertEquals(List.of(), frame(null, null).remarks());
    }

    @Test
    void saysWhatItGuessesOrLacks() throws IOException {
        tokenizer(List.of(1, 2, 3, 4), "null");
        TextFrame guessed = frame(null, null);
        // The names of HTML come after special tokens.
        assertEquals("3 4", words(guessed));
        assertEquals(1, guessed.remarks().size());
        assertTrue(
                guessed.remarks().getFirst().contains("names decide: bos <bos> (3), eos <eos> (4); choose with --bos"),
                guessed.remarks()::toString);
        assertEquals(List.of(), frame(1, 2).remarks());
        assertEquals("1 2", words(frame("1", 2L)));
        TextFrame none = frame("none", "none");
        assertEquals("none none", words(none));
        assertEquals(List.of(), none.remarks());
        write("tokenizer_config.json", "{'bos_token': '<bos>', 'eos_token': null}");
        TextFrame open = frame(null, null);
        assertEquals("3 none", words(open));
        assertTrue(open.remarks().getFirst().contains("nothing separates documents"), open.remarks()::toString);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "tokenizer_config.json; {'eos_token': '<end>'}; eos_token is '<end>', which is not in the vocabulary",
                "special_tokens_map.json; {'bos_token': '<begin>'}; bos_token is '<begin>', which is not in the vocabulary",
                "generation_config.json; {'eos_token_id': 5}; eos_token_id is 5, outside the vocabulary (allowed: 0 to 4)",
                "config.json; {'bos_token_id': [7]}; bos_token_id is 7, outside the vocabulary (allowed: 0 to 4)",
                "config.json; {'bos_token_id': 'x'}; field bos_token_id is text (allowed: an id, a list of ids, or null)",
                "generation_config.json; {'eos_token_id': [1.5]}; field eos_token_id is a list (allowed:",
                "generation_config.json; {; it is damaged, or no JSON",
                "tokenizer_config.json; {'add_bos_token': 'yes'}; field add_bos_token is text (allowed: true, false, or null)",
                "added_tokens.json; {'<bos>': 'x'}; it has an entry that is no id",
                "added_tokens.json; {'<bos>': 9}; it gives '<bos>' the id 9, but in",
                "added_tokens.json; {'<new>': 5}; it gives '<new>' the id 5, but in",
                "tokenizer_config.json; {'added_tokens_decoder': {'4': {'content': '<bos>'}}}; it gives '<bos>' the id 4, but in",
                "tokenizer_config.json; {'added_tokens_decoder': {'x': {'content': '<bos>'}}}; added_tokens_decoder has an entry that is no token",
            })
    void rejectsWhatCannotBeMeant(String file, String json, String message) throws IOException {
        tokenizer(List.of(1, 2, 3, 4), "null");
        write(file, json);
        var e = assertThrows(DataException.class, () -> frame(null, null));
        assertTrue(e.getMessage().startsWith("tokenizer " + folder.resolve(file) + ": " + message), e.getMessage());
        assertEquals(1, e.getMessage().lines().count());
    }

    @Test
    void aChoiceReplacesADeclarationThatCannotBeMeant() throws IOException {
        tokenizer(List.of(1, 2, 3, 4), "null");
        write("tokenizer_config.json", "{'bos_token': '<begin>', 'eos_token': '<end>'}");
        assertEquals("none 2", words(frame("none", 2)));
    }

    @ParameterizedTest
    @CsvSource({"-1", "5", "<s>", "1.5", "true", "99999999999"})
    void rejectsAChoiceThatIsNoId(String id) throws IOException {
        tokenizer(List.of(1, 2, 3, 4), "null");
        var e = assertThrows(ConfigurationException.class, () -> frame(null, id));
        assertTrue(e.getMessage().contains("eos: " + id) && e.getMessage().contains("allowed: "), e.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "2 3 4 5; '<s>' has the id 2, but the tokenizers library would use 1",
                "1 2 4 3; '<bos>' has the id 4",
                "1 1 2 3; '</s>' has the id 1"
            })
    void rejectsIdsThatTheLibraryWouldNotUse(String ids, String message) throws IOException {
        tokenizer(List.of(ids.split(" ")).stream().map(Integer::valueOf).toList(), "null");
        var e = assertThrows(DataException.class, () -> frame(null, null));
        assertTrue(e.getMessage().contains("tokenizer.json: added_tokens: " + message), e.getMessage());
    }

    @Test
    void acceptsIdsThatTheLibraryUses() throws IOException {
        // A token that the model has keeps the model's id; the others follow the largest one.
        write(
                "tokenizer.json",
                """
        {'added_tokens': [{'id': 2, 'content': 'c', %1$s}, {'id': 3, 'content': 'new', %1$s}, {'id': 4, 'content': 'newer', %1$s}],
         'model': {'type': 'WordLevel', 'vocab': {'a': 0, 'b': 1, 'c': 2}, 'unk_token': 'a'}}
        """.formatted(
                                "'single_word': false, 'lstrip': false, 'rstrip': false, 'normalized': false, 'special': false"));
        try (Tokenizer tokenizer = TestTokenizers.open(folder)) {
            assertEquals("c new newer", tokenizer.decode(new int[] {2, 3, 4}));
            assertEquals(3, tokenizer.encode("new")[0]);
            assertEquals(4, tokenizer.encode("newer")[0]);
        }
    }

    @Test
    void savesTheChoiceWithTheTokenizer() throws IOException {
        tokenizer(List.of(1, 2, 3, 4), "null");
        write("special_tokens_map.json", "{'bos_token': '<s>', 'eos_token': '</s>', 'pad_token': 'a'}");
        Path saved = folder.resolve("saved");
        try (Tokenizer tokenizer = TestTokenizers.open(new HuggingFaceOptions(folder.toString(), "none", 4, false))) {
            tokenizer.save(saved);
        }
        try (Tokenizer again = TestTokenizers.open(saved)) {
            assertEquals(OptionalInt.empty(), again.beginOfText());
            assertEquals(OptionalInt.of(4), again.endOfText());
        }
        assertTrue(Files.readString(saved.resolve("special_tokens_map.json")).contains("pad_token"));
    }
}
