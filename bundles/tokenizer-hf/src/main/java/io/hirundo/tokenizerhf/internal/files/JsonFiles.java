package io.hirundo.tokenizerhf.internal.files;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.JsonComplaint;
import java.io.IOException;

/** Reads a tokenizer's small JSON files, and words what is wrong with one. */
final class JsonFiles {
    private JsonFiles() {}

    /**
     * The object of a file.
     *
     * @throws DataException if it is no JSON object
     */
    static JsonNode object(byte[] json, String path) {
        JsonNode tree;
        try {
            tree = new ObjectMapper().readTree(json);
        } catch (IOException e) {
            throw damaged(path, e);
        }
        if (!tree.isObject()) {
            throw wrong(path, "it is " + kind(tree) + " (allowed: an object)");
        }
        return tree;
    }

    static DataException wrong(String path, String what) {
        return new DataException("tokenizer " + path + ": " + what + "; download it again or train a new one");
    }

    static String kind(JsonNode node) {
        return switch (node.getNodeType()) {
            case MISSING -> "empty";
            case ARRAY -> "a list";
            case OBJECT -> "an object";
            case STRING -> "text";
            default -> Excerpt.of(node.toString());
        };
    }

    static DataException damaged(String path, IOException cause) {
        String reason =
                cause instanceof JacksonException json ? JsonComplaint.of(json.getOriginalMessage()) : Reason.of(cause);
        String place = cause instanceof JacksonException json && json.getLocation() != null
                ? " at line " + json.getLocation().getLineNr() + ", column "
                        + json.getLocation().getColumnNr()
                : "";
        return new DataException(
                "tokenizer " + path + ": it is damaged, or no JSON" + place + ": " + Excerpt.of(reason)
                        + "; download it again or train a new one",
                cause);
    }
}
