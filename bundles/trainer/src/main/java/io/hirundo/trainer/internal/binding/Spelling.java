package io.hirundo.trainer.internal.binding;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How values look in documents and messages. */
public final class Spelling {
  private static final int LONGEST_SHOWN = 60;

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
      case String text -> '"' + cut(text.replaceAll("\\p{Cntrl}", " ")) + '"';
      case Number number -> cut(Numbers.text(number));
      case Map<?, ?> map -> cut("{" + String.join(", ", map.keySet().stream().map(String::valueOf).toList()) + "}");
      case List<?> list -> cut("[" + String.join(", ", list.stream().map(Spelling::shown).toList()) + "]");
      default -> cut(value.toString());
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

  private static String cut(String text) {
    return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "...";
  }
}
