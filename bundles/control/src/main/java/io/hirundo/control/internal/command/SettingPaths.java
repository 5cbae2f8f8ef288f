package io.hirundo.control.internal.command;

import io.hirundo.train.StrategyInUse;
import java.util.List;
import java.util.Map;

/** Where in the configuration a strategy of some kind is chosen, so that nobody has to type {@code mesh.schedule}. */
final class SettingPaths {
  /** Kinds whose place cannot be told from their name. */
  private static final Map<String, String> KINDS =
      Map.of(
          "checkpoint", "checkpoint.strategy",
          "data", "data.source",
          "tokenizer", "data.tokenizer",
          "recompute", "training.recompute");

  private SettingPaths() {}

  /**
   * The path that a word means.
   *
   * @param word a path, a kind, or the last word of the path of a strategy in use
   * @param used by the run
   * @return the word itself where it is nothing of that: the run knows whether there is such a setting, and says what
   *     there is
   */
  static String of(String word, List<StrategyInUse> used) {
    if (KINDS.containsKey(word)) {
      return KINDS.get(word);
    }
    List<String> matches =
        used.stream()
            .map(StrategyInUse::path)
            .filter(path -> path.equals(word) || path.endsWith("." + word))
            .distinct()
            .toList();
    return matches.size() == 1 ? matches.getFirst() : word;
  }

  /** The shortest word that {@link #of} takes for a path. */
  static String shortest(String path, List<StrategyInUse> used) {
    return KINDS.entrySet().stream()
        .filter(kind -> kind.getValue().equals(path))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseGet(
            () -> {
              String last = path.substring(path.lastIndexOf('.') + 1);
              return of(last, used).equals(path) ? last : path;
            });
  }
}
