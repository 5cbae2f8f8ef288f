package io.hirundo.checkpointhf.internal;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.DataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/** Strict JSON objects: no key twice, nothing behind the object. */
final class Json {
  private Json() {}

  /** What a model's {@code config.json} holds. */
  static Map<String, Object> readValues(Path file) {
    JsonNode node = readFile(file, "give a folder that holds a Hugging Face model");
    return mapper().convertValue(node, new TypeReference<>() {});
  }

  /** Reads a small file. */
  static JsonNode readFile(Path file, String whenMissing) {
    try {
      return parse(Files.readAllBytes(file), file.toString());
    } catch (NoSuchFileException e) {
      throw new DataException(file + " is missing; " + whenMissing, e);
    } catch (IOException e) {
      throw new DataException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** {@code where}: what the bytes are, for messages. */
  static JsonNode parse(byte[] bytes, String where) {
    try {
      JsonNode node = mapper().readTree(bytes);
      if (!node.isObject()) {
        throw new DataException(where + " is not a JSON object");
      }
      return node;
    } catch (JacksonException e) {
      throw new DataException(where + " is not valid JSON: " + e.getOriginalMessage() + "; " + Damage.REMEDY, e);
    } catch (IOException e) {
      throw new DataException(where + " cannot be read: " + e.getMessage(), e);
    }
  }

  static JsonMapper mapper() {
    return JsonMapper.builder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();
  }
}
