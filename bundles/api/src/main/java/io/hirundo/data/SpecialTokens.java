package io.hirundo.data;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * The special tokens of a {@link Tokenizer} by name: those that control a model and that no text means, such as {@code <|end_of_text|>}.
 * Immutable.
 */
public final class SpecialTokens {
  /** No special tokens. */
  public static final SpecialTokens NONE = new SpecialTokens(Map.of());

  private final Map<String, Integer> ids;
  /** A trie of all names. */
  private final Node root = new Node();

  /**
   * A name in a text.
   *
   * @param begin index of its first character
   * @param end index after its last character
   * @param name of the special token
   * @param id of the special token
   */
  public record Match(int begin, int end, String name, int id) {}

  private static final class Node {
    private final Map<Character, Node> next = new HashMap<>();
    private String name;
  }

  private SpecialTokens(Map<String, Integer> ids) {
    this.ids = ids;
    ids.keySet().forEach(this::add);
  }

  /** @param ids of the tokens by name; an empty name is ignored, because no text contains it */
  public static SpecialTokens of(Map<String, Integer> ids) {
    var named = new LinkedHashMap<String, Integer>();
    ids.forEach((name, id) -> {
      if (!name.isEmpty()) {
        named.put(name, Objects.requireNonNull(id, "id"));
      }
    });
    return named.isEmpty() ? NONE : new SpecialTokens(named);
  }

  private void add(String name) {
    Node node = root;
    for (int i = 0; i < name.length(); i++) {
      node = node.next.computeIfAbsent(name.charAt(i), _ -> new Node());
    }
    node.name = name;
  }

  /** The ids by name. */
  public Map<String, Integer> ids() {
    return new LinkedHashMap<>(ids);
  }

  /** The id of a name; empty if no special token has it. */
  public OptionalInt id(String name) {
    Integer id = ids.get(name);
    return id == null ? OptionalInt.empty() : OptionalInt.of(id);
  }

  /** Whether a text contains a name. */
  public boolean occurIn(String text) {
    for (int at = 0; at < text.length(); at++) {
      if (longestAt(text, at) != null) {
        return true;
      }
    }
    return false;
  }

  /** The names in a text from left to right, without overlaps; of several at one place the longest. */
  public List<Match> in(String text) {
    var matches = new ArrayList<Match>();
    int at = 0;
    while (at < text.length()) {
      String name = longestAt(text, at);
      if (name == null) {
        at++;
      } else {
        matches.add(new Match(at, at + name.length(), name, ids.get(name)));
        at += name.length();
      }
    }
    return matches;
  }

  private String longestAt(String text, int begin) {
    String longest = null;
    Node node = root.next.get(text.charAt(begin));
    for (int at = begin + 1; node != null; at++) {
      longest = node.name == null ? longest : node.name;
      node = at < text.length() ? node.next.get(text.charAt(at)) : null;
    }
    return longest;
  }
}
