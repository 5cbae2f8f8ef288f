package io.hirundo.lib.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.JsonComplaint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Reads foreign JSON as a stream. Each value is checked where it occurs, so that a field of the wrong type is rejected by path
 * and costs no memory. Holds at most one value at a time.
 */
public final class JsonInput implements AutoCloseable {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_NAME_CHARS = 10_000;
  private static final int MAX_NUMBER_CHARS = 100;
  /** Checksums of a large piece are one text. The caller bounds the whole. */
  private static final int MAX_TEXT_CHARS = Integer.MAX_VALUE;
  /** Of {@link #anything}. */
  private static final int MAX_VALUES = 1_000_000;

  private static final Pattern INDEX = Pattern.compile("/(\\d+)(?=/|$)");
  private static final Pattern LAST_INDEX = Pattern.compile("\\[\\d+]$");
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNameLength(MAX_NAME_CHARS)
                  .maxNumberLength(MAX_NUMBER_CHARS)
                  .maxStringLength(MAX_TEXT_CHARS)
                  .build())
          .build();

  /** Work with the parser. */
  private interface Work<T> {
    T get() throws IOException;
  }

  private final JsonParser parser;
  private final String where;
  private final BiFunction<String, Throwable, ? extends RuntimeException> failure;
  private int values;

  /**
   * Opens the text and moves to its first value.
   *
   * @param text UTF-8 JSON, from {@code begin} on
   * @param where name of the text, for messages
   * @param failure creates the exception from a message and a cause, which may be null
   */
  public JsonInput(
      byte[] text, int begin, int length, String where, BiFunction<String, Throwable, ? extends RuntimeException> failure) {
    this.where = where;
    this.failure = failure;
    this.parser = attempt(() -> FACTORY.createParser(text, begin, length));
    next();
  }

  private <T> T attempt(Work<T> work) {
    try {
      return work.get();
    } catch (StreamConstraintsException e) {
      throw wrong(" is nested more than " + MAX_DEPTH + " levels deep or has a name or number that is too long, at byte " + position(), e);
    } catch (JacksonException e) {
      throw wrong(" is not valid JSON at byte " + position() + ": " + JsonComplaint.of(e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw wrong(" cannot be read: " + e.getMessage(), e);
    }
  }

  private long position() {
    return parser == null ? 0 : parser.currentLocation().getByteOffset();
  }

  private JsonToken next() {
    return attempt(parser::nextToken);
  }

  /** Requires that nothing follows the value that was read. */
  public void end() {
    if (next() != null) {
      throw wrong(" does not end where its JSON does, at byte " + position(), null);
    }
  }

  /**
   * Reads the object here. Skips unknown fields, which a later version may write.
   *
   * @param required reader of each required field
   * @param optional reader of each optional field
   */
  public Map<String, Object> object(Map<String, Supplier<?>> required, Map<String, Supplier<?>> optional) {
    var fields = new HashMap<String, Object>();
    fields(
        name -> {
          Supplier<?> reader = required.getOrDefault(name, optional.get(name));
          if (reader == null) {
            skip();
          } else {
            fields.put(name, reader.get());
          }
        });
    for (String name : required.keySet()) {
      if (!fields.containsKey(name)) {
        throw wrong(": field " + (path().isEmpty() ? "" : path() + ".") + name + " is missing", null);
      }
    }
    return fields;
  }

  /** Reads the object here; calls the reader for each field, which must read its value. */
  public void fields(Consumer<String> reader) {
    require(parser.currentToken() == JsonToken.START_OBJECT, "an object");
    Set<String> seen = new HashSet<>();
    while (next() != JsonToken.END_OBJECT) {
      String name = attempt(parser::currentName);
      if (!seen.add(name)) {
        throw wrong(": field " + path() + " is there twice", null);
      }
      next();
      reader.accept(name);
    }
  }

  /** Skips the value here. */
  public void skip() {
    attempt(parser::skipChildren);
  }

  /** Reads the list here. */
  public <T> List<T> list(Supplier<T> element) {
    return list(element, Integer.MAX_VALUE);
  }

  /** Reads the list here, of at most so many elements. */
  public <T> List<T> list(Supplier<T> element, int most) {
    require(parser.currentToken() == JsonToken.START_ARRAY, "a list");
    var list = new ArrayList<T>();
    while (next() != JsonToken.END_ARRAY) {
      if (list.size() == most) {
        String field = LAST_INDEX.matcher(path()).replaceFirst("");
        throw wrong(": field " + field + " exceeds the " + most + " elements that are allowed", null);
      }
      list.add(element.get());
    }
    return Collections.unmodifiableList(list);
  }

  /** Reads the string here. */
  public String text() {
    require(parser.currentToken() == JsonToken.VALUE_STRING, "a text");
    return string();
  }

  /** Reads the string here, which must match the pattern. */
  public String text(Pattern pattern, String allowed) {
    String text = text();
    require(pattern.matcher(text).matches(), allowed);
    return text;
  }

  /** Reads the whole number here. */
  public long whole(long least, long most) {
    String allowed = "a whole number of " + least + " to " + most;
    require(parser.currentToken() == JsonToken.VALUE_NUMBER_INT, allowed);
    JsonParser.NumberType type = attempt(parser::getNumberType);
    require(type != JsonParser.NumberType.BIG_INTEGER, allowed);
    long value = attempt(parser::getLongValue);
    require(value >= least && value <= most, allowed);
    return value;
  }

  /**
   * Reads any value: null, {@link Boolean}, {@link Long}, {@link java.math.BigInteger}, {@link Double}, {@link String}, list or
   * map.
   */
  public Object anything() {
    if (++values > MAX_VALUES) {
      throw wrong(": field " + path() + " exceeds the " + MAX_VALUES + " values that are allowed", null);
    }
    return switch (parser.currentToken()) {
      case null -> {
        require(false, "a value");
        yield null;
      }
      case VALUE_NULL -> null;
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_STRING -> text();
      case VALUE_NUMBER_INT -> attempt(this::integer);
      case VALUE_NUMBER_FLOAT -> real();
      case START_ARRAY -> list(this::anything);
      default -> map();
    };
  }

  private Number integer() throws IOException {
    return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? parser.getBigIntegerValue() : parser.getLongValue();
  }

  private Double real() {
    double value = attempt(parser::getDoubleValue);
    require(Double.isFinite(value), "a finite number");
    return value;
  }

  /** Reads the object here with any fields. */
  public Map<String, Object> map() {
    var map = new LinkedHashMap<String, Object>();
    fields(name -> map.put(name, anything()));
    return map;
  }

  /** Throws if the value here is not allowed. */
  public void require(boolean isAllowed, String allowed) {
    if (!isAllowed) {
      String name = path().isEmpty() ? "" : ": field " + path();
      throw wrong(name + " is " + shown() + " (allowed: " + allowed + ")", null);
    }
  }

  private RuntimeException wrong(String what, Throwable cause) {
    return failure.apply(where + what, cause);
  }

  private String shown() {
    return switch (parser.currentToken()) {
      case null -> "cut off";
      case START_OBJECT, END_OBJECT -> "an object";
      case START_ARRAY, END_ARRAY -> "a list";
      case VALUE_STRING -> '"' + Excerpt.of(string()) + '"';
      default -> Excerpt.of(string());
    };
  }

  private String string() {
    return attempt(parser::getText);
  }

  /** For instance {@code tensors[3].shape}; empty for the outermost value. */
  private String path() {
    String pointer = parser.getParsingContext().pathAsPointer().toString();
    String path = INDEX.matcher(pointer).replaceAll("[$1]").replace('/', '.');
    return Excerpt.of(path.startsWith(".") ? path.substring(1) : path);
  }

  @Override
  public void close() {
    attempt(
        () -> {
          parser.close();
          return null;
        });
  }
}
