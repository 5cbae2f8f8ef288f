package io.hirundo.trainer.internal.binding;

import io.hirundo.lib.input.Excerpt;
import io.hirundo.trainer.internal.document.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How values look in documents and messages. */
public final class Spelling {
  /** Keys of an object in a message. */
  private static final int MOST_SHOWN = 8;

  private Spelling() {}

  /** FP8_E4M3 is written fp8-e4m3. */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** All constants of an enum, as they are written. */
  public static List<String> all(Class<? extends Enum<?>> type) {
    List<String> names = new ArrayList<>();
    for (Enum<?> constant : type.getEnumConstants()) {
      names.add(of(constant));
    }
    return names;
  }

  /** With a capital letter in front, whatever the taste of the bundle that it comes from. */
  static String sentence(String text) {
    return text.isEmpty() ? text : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  /** A value as a message shows it. */
  static String shown(Object value) {
    return switch (value) {
      case null -> "null";
      case String text -> '"' + Excerpt.of(text) + '"';
      case Number number -> Excerpt.of(Numbers.text(number));
      case Map<?, ?> map -> Excerpt.of("{" + String.join(", ", map.keySet().stream().limit(MOST_SHOWN).map(String::valueOf).toList())
          + (map.size() > MOST_SHOWN ? ", ..." : "") + "}");
      case List<?> list -> Excerpt.of(list);
      default -> Excerpt.of(value.toString());
    };
  }

  /** What kind of value this is. */
  static String kind(Object value) {
    return switch (value) {
      case String _ -> "text";
      case Number _ -> "a number";
      case Boolean _ -> "a truth value";
      case Map<?, ?> _ -> "an object";
      case List<?> _ -> "a list";
      default -> "of type " + value.getClass().getName();
    };
  }
}
