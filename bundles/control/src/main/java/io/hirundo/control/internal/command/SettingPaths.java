package io.hirundo.control.internal.command;

import io.hirundo.train.StrategyInUse;
import java.util.List;
import java.util.Map;

/** Maps short names of strategies to configuration paths, so that {@code schedule} means {@code mesh.schedule}. */
final class SettingPaths {
    /** Kinds whose path does not follow from their name. */
    private static final Map<String, String> KINDS = Map.of(
            "checkpoint", "checkpoint.strategy",
            "data", "data.source",
            "tokenizer", "data.tokenizer",
            "recompute", "training.recompute");

    private SettingPaths() {}

    /**
     * The path for a word.
     *
     * @param word a path, a kind, or the last word of the path of a strategy in use
     * @param used by the run
     * @return the word itself if it matches nothing: the run then rejects it and lists the existing settings
     */
    static String of(String word, List<StrategyInUse> used) {
        if (KINDS.containsKey(word)) {
            return KINDS.get(word);
        }
        List<String> matches = used.stream()
                .map(StrategyInUse::path)
                .filter(path -> path.equals(word) || path.endsWith("." + word))
                .distinct()
                .toList();
        return matches.size() == 1 ? matches.getFirst() : word;
    }

    /** The shortest word that {@link #of} maps to a path. */
    static String shortest(String path, List<StrategyInUse> used) {
        return KINDS.entrySet().stream()
                .filter(kind -> kind.getValue().equals(path))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseGet(() -> {
                    String last = path.substring(path.lastIndexOf('.') + 1);
                    return of(last, used).equals(path) ? last : path;
                });
    }
}
