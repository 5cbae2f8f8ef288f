package io.hirundo.checkpointhf.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.hirundo.HirundoException;
import java.util.function.Function;

/**
 * Fields of a JSON object, checked as they are read. A field that is null counts as left out.
 *
 * @param node the object
 * @param where what it is, for messages
 * @param failure makes the exception of a message
 */
record JsonFields(JsonNode node, String where, Function<String, HirundoException> failure) {
  boolean has(String key) {
    return node.hasNonNull(key);
  }

  /** A whole number of at least {@code least}; {@code fallback} where it is left out. */
  int whole(String key, int least, int fallback) {
    if (!has(key)) {
      return fallback;
    }
    JsonNode value = node.get(key);
    boolean isWhole = value.isNumber() && value.canConvertToExactIntegral() && value.canConvertToInt();
    if (!isWhole || value.intValue() < least) {
      throw wrong(key, "a whole number from " + least + " to " + Integer.MAX_VALUE);
    }
    return value.intValue();
  }

  /** A finite number above 0; {@code fallback} where it is left out. */
  double positive(String key, double fallback) {
    double value = number(key, fallback);
    if (value <= 0) {
      throw wrong(key, "a number above 0");
    }
    return value;
  }

  /** A finite number; {@code fallback} where it is left out. */
  double number(String key, double fallback) {
    if (!has(key)) {
      return fallback;
    }
    JsonNode value = node.get(key);
    if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
      throw wrong(key, "a number");
    }
    return value.doubleValue();
  }

  boolean truth(String key, boolean fallback) {
    if (!has(key)) {
      return fallback;
    }
    if (!node.get(key).isBoolean()) {
      throw wrong(key, "true or false");
    }
    return node.get(key).booleanValue();
  }

  String text(String key, String fallback) {
    if (!has(key)) {
      return fallback;
    }
    if (!node.get(key).isTextual()) {
      throw wrong(key, "a text");
    }
    return node.get(key).textValue();
  }

  /** The object under a key, which must be there. */
  JsonFields object(String key) {
    if (!node.path(key).isObject()) {
      throw wrong(key, "an object");
    }
    return new JsonFields(node.get(key), where + ": " + key, failure);
  }

  void require(String key) {
    if (!has(key)) {
      throw failure.apply(where + ": '" + key + "' is missing");
    }
  }

  HirundoException wrong(String key, String allowed) {
    return failure.apply(where + ": '" + key + "' is " + node.path(key) + ", but must be " + allowed);
  }
}
