package io.hirundo.tokenizerhf.internal.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.tokenizerhf.internal.SafeBorders;
import java.util.List;

/**
 * Writes a vocabulary as the two files that Hugging Face's libraries load: {@code tokenizer.json}, structured like Llama 3's, and
 * {@code tokenizer_config.json}. Special tokens have the last ids.
 */
final class TokenizerJson {
    static final String BEGIN = "<|begin_of_text|>";
    static final String END = "<|end_of_text|>";
    static final List<String> SPECIAL_TOKENS = List.of(BEGIN, END);

    private final ObjectMapper mapper = new ObjectMapper();
    private final Vocabulary vocabulary;

    TokenizerJson(Vocabulary vocabulary) {
        this.vocabulary = vocabulary;
    }

    /** {@code tokenizer.json}, UTF-8. */
    byte[] tokenizer() {
        ObjectNode root = mapper.createObjectNode();
        root.put("version", "1.0");
        root.putNull("truncation");
        root.putNull("padding");
        ArrayNode added = root.putArray("added_tokens");
        for (String token : SPECIAL_TOKENS) {
            added.add(addedToken(token).put("id", idOf(token)));
        }
        root.putNull("normalizer");
        root.set("pre_tokenizer", preTokenizer());
        root.set("post_processor", postProcessor());
        root.set("decoder", byteLevel().put("use_regex", true));
        root.set("model", model());
        return write(root);
    }

    /** {@code tokenizer_config.json}, UTF-8. */
    byte[] configuration() {
        ObjectNode root = mapper.createObjectNode();
        ObjectNode decoder = root.putObject("added_tokens_decoder");
        for (String token : SPECIAL_TOKENS) {
            decoder.set(String.valueOf(idOf(token)), addedToken(token));
        }
        root.put("bos_token", BEGIN);
        root.put("eos_token", END);
        root.put("clean_up_tokenization_spaces", false);
        root.put("tokenizer_class", "PreTrainedTokenizerFast");
        return write(root);
    }

    private int idOf(String specialToken) {
        return vocabulary.tokens().size() + SPECIAL_TOKENS.indexOf(specialToken);
    }

    private ObjectNode addedToken(String content) {
        return mapper.createObjectNode()
                .put("content", content)
                .put("single_word", false)
                .put("lstrip", false)
                .put("rstrip", false)
                .put("normalized", false)
                .put("special", true);
    }

    private ObjectNode byteLevel() {
        return mapper.createObjectNode()
                .put("type", "ByteLevel")
                .put("add_prefix_space", false)
                .put("trim_offsets", true);
    }

    private ObjectNode preTokenizer() {
        ObjectNode sequence = mapper.createObjectNode().put("type", "Sequence");
        ArrayNode steps = sequence.putArray("pretokenizers");
        ObjectNode split = steps.addObject().put("type", "Split");
        split.putObject("pattern").put("Regex", SafeBorders.WORDS_WITH_DIGIT_TRIPLES);
        split.put("behavior", "Isolated").put("invert", false);
        steps.add(byteLevel().put("use_regex", false));
        return sequence;
    }

    /** Prepends {@link #BEGIN} if special tokens are requested, as in Hirundo's documents. */
    private ObjectNode postProcessor() {
        ObjectNode sequence = mapper.createObjectNode().put("type", "Sequence");
        ArrayNode steps = sequence.putArray("processors");
        steps.add(byteLevel().put("use_regex", true));
        ObjectNode template = steps.addObject().put("type", "TemplateProcessing");
        addText(template.putArray("single"), "A", 0);
        ArrayNode pair = template.putArray("pair");
        addText(pair, "A", 0);
        addText(pair, "B", 1);
        ObjectNode begin = template.putObject("special_tokens").putObject(BEGIN);
        begin.put("id", BEGIN);
        begin.putArray("ids").add(idOf(BEGIN));
        begin.putArray("tokens").add(BEGIN);
        return sequence;
    }

    private static void addText(ArrayNode template, String text, int type) {
        template.addObject().putObject("SpecialToken").put("id", BEGIN).put("type_id", type);
        template.addObject().putObject("Sequence").put("id", text).put("type_id", type);
    }

    private ObjectNode model() {
        ObjectNode model = mapper.createObjectNode().put("type", "BPE");
        for (String absent : List.of("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")) {
            model.putNull(absent);
        }
        model.put("fuse_unk", false).put("byte_fallback", false).put("ignore_merges", false);
        ObjectNode ids = model.putObject("vocab");
        List<String> tokens = vocabulary.tokens();
        for (int id = 0; id < tokens.size(); id++) {
            ids.put(tokens.get(id), id);
        }
        ArrayNode merges = model.putArray("merges");
        for (Merge merge : vocabulary.merges()) {
            // The older format of merges, which every version reads; tokens contain no spaces.
            merges.add(tokens.get(merge.left()) + " " + tokens.get(merge.right()));
        }
        return model;
    }

    private byte[] write(ObjectNode root) {
        try {
            return mapper.writerWithDefaultPrettyPrinter().writeValueAsBytes(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON tree could not be written", e);
        }
    }
}
