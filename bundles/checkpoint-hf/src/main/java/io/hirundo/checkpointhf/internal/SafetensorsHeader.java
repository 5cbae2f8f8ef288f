package io.hirundo.checkpointhf.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.hirundo.DataException;
import io.hirundo.tensor.Shape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Reads and checks the header of a safetensors file: eight bytes of length, then that many bytes of JSON; the tensors' bytes
 * follow, without gaps (github.com/huggingface/safetensors).
 */
final class SafetensorsHeader {
  static final int LENGTH_BYTES = 8;

  /** The format's own bound. */
  static final long MOST_BYTES = 100_000_000;

  static final String METADATA = "__metadata__";

  private final Path file;

  private SafetensorsHeader(Path file) {
    this.file = file;
  }

  /**
   * The tensors, in the header's order.
   *
   * @param json the header's bytes
   * @param dataBytes bytes that follow the header
   * @throws DataException names file and tensor
   */
  static SequencedMap<String, StoredTensor> parse(Path file, byte[] json, long dataBytes) {
    return new SafetensorsHeader(file).parse(json, dataBytes);
  }

  private SequencedMap<String, StoredTensor> parse(byte[] json, long dataBytes) {
    var tensors = new LinkedHashMap<String, StoredTensor>();
    for (Map.Entry<String, JsonNode> entry : Json.parse(json, file + ": the header").properties()) {
      if (!entry.getKey().equals(METADATA)) {
        tensors.put(entry.getKey(), tensor(entry.getKey(), entry.getValue()));
      }
    }
    checkPlaces(new ArrayList<>(tensors.values()), dataBytes);
    return tensors;
  }

  private StoredTensor tensor(String name, JsonNode json) {
    String typeName = json.path("dtype").asText("");
    StoredType type =
        StoredType.named(typeName)
            .orElseThrow(() -> wrong(name, "has the unknown data type '" + typeName + "'; weights are " + StoredType.READABLE));
    List<Long> dims = numbers(name, "shape", json.path("shape"));
    List<Long> offsets = numbers(name, "data_offsets", json.path("data_offsets"));
    if (offsets.size() != 2 || offsets.get(1) < offsets.get(0)) {
      throw wrong(name, "has the data_offsets " + json.path("data_offsets") + ", which are not a beginning and an end");
    }
    var tensor = new StoredTensor(name, type, new Shape(dims), offsets.get(0), offsets.get(1));
    checkSize(tensor);
    return tensor;
  }

  private List<Long> numbers(String name, String key, JsonNode array) {
    if (!array.isArray()) {
      throw wrong(name, "has no list of numbers '" + key + "'");
    }
    for (JsonNode number : array) {
      if (!number.isIntegralNumber() || !number.canConvertToLong() || number.longValue() < 0) {
        throw wrong(name, "has the " + key + " " + array + ", which are not whole numbers of at least 0");
      }
    }
    return array.valueStream().map(JsonNode::longValue).toList();
  }

  private void checkSize(StoredTensor tensor) {
    long bytes = tensor.end() - tensor.begin();
    String is = "is " + tensor.shape() + " of " + tensor.type();
    long expected;
    try {
      expected = tensor.expectedBytes();
    } catch (ArithmeticException e) {
      throw new DataException(wrong(tensor.name(), is + ", which is more than can be").getMessage(), e);
    }
    if (bytes != expected) {
      throw wrong(tensor.name(), is + ", which is " + expected + " bytes, but its data_offsets span " + bytes);
    }
  }

  private void checkPlaces(List<StoredTensor> tensors, long dataBytes) {
    tensors.sort(Comparator.comparingLong(StoredTensor::begin).thenComparingLong(StoredTensor::end));
    long end = 0;
    String before = "the header";
    for (StoredTensor tensor : tensors) {
      if (tensor.begin() < end) {
        throw wrong(tensor.name(), "overlaps " + before + ": it begins at byte " + tensor.begin() + ", that ends at " + end);
      }
      if (tensor.begin() > end) {
        throw wrong(
            tensor.name(), "leaves a hole behind " + before + ": bytes " + end + " to " + tensor.begin() + " belong to none");
      }
      end = tensor.end();
      before = "'" + tensor.name() + "'";
      if (end > dataBytes) {
        throw wrong(tensor.name(), "ends at byte " + end + ", but the file holds only " + dataBytes + " bytes of weights");
      }
    }
    if (end < dataBytes) {
      throw Damage.of(file, "the last " + (dataBytes - end) + " bytes belong to no tensor");
    }
  }

  private DataException wrong(String tensor, String what) {
    return Damage.of(file, tensor, what + "; " + Damage.REMEDY);
  }
}
