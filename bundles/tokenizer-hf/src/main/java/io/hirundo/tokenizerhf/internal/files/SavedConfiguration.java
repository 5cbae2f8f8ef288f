package io.hirundo.tokenizerhf.internal.files;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The declarations that are saved with a model: with the begin and end that the user chose. */
public final class SavedConfiguration {
    private SavedConfiguration() {}

    /** The changed files; empty if nothing was chosen. */
    public static Map<String, byte[]> of(TextChoice choice, TokenizerFiles files, VocabularyScan scan) {
        var changed = new LinkedHashMap<String, byte[]>();
        if (choice.begin().isPresent() || choice.end().isPresent()) {
            changed.put(TokenizerFiles.CONFIG, with(choice, files.companion(TokenizerFiles.CONFIG), scan, true));
            byte[] map = files.companion(TokenizerFiles.SPECIAL_TOKENS);
            if (map != null) {
                changed.put(TokenizerFiles.SPECIAL_TOKENS, with(choice, map, scan, false));
            }
        }
        return changed;
    }

    private static byte[] with(TextChoice choice, byte[] read, VocabularyScan scan, boolean flag) {
        try {
            var mapper = new ObjectMapper();
            ObjectNode declarations = read == null ? mapper.createObjectNode() : (ObjectNode) mapper.readTree(read);
            if (flag) {
                choice.begin().ifPresent(id -> declarations.put("add_bos_token", id.isPresent()));
            }
            put(declarations, "bos_token", choice.begin(), scan);
            put(declarations, "eos_token", choice.end(), scan);
            return mapper.writerWithDefaultPrettyPrinter().writeValueAsBytes(declarations);
        } catch (IOException e) {
            throw new IllegalStateException("a file that was read before is no JSON", e);
        }
    }

    private static void put(ObjectNode declarations, String key, Optional<OptionalInt> chosen, VocabularyScan scan) {
        chosen.ifPresent(id ->
                id.ifPresentOrElse(each -> declarations.put(key, scan.name(each)), () -> declarations.putNull(key)));
    }
}
