package io.hirundo.checkpointhf.internal.safetensors;

import io.hirundo.DataException;
import io.hirundo.checkpointhf.internal.file.Damage;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.json.JsonInput;
import io.hirundo.tensor.Shape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Supplier;

/**
 * Reads and checks the header of a safetensors file: eight bytes of length, then that many bytes of JSON; the tensors' bytes
 * follow, without gaps (github.com/huggingface/safetensors).
 */
final class SafetensorsHeader {
    static final int LENGTH_BYTES = 8;

    /** The format's own bound. */
    static final long MOST_BYTES = 100_000_000;

    static final String METADATA = "__metadata__";

    /** More than any tensor has. */
    private static final int MAX_DIMS = 32;

    private final Path file;
    private final JsonInput in;
    private final Map<String, Supplier<?>> fields;

    private SafetensorsHeader(Path file, JsonInput in) {
        this.file = file;
        this.in = in;
        this.fields = Map.of(
                "dtype", this::type,
                "shape", () -> in.list(() -> in.whole(0, Long.MAX_VALUE), MAX_DIMS),
                "data_offsets", this::offsets);
    }

    /**
     * The tensors, in the header's order.
     *
     * @param json the header's bytes
     * @param dataBytes bytes that follow the header
     * @throws DataException names file and tensor
     */
    static SequencedMap<String, SafetensorsEntry> parse(Path file, byte[] json, long dataBytes) {
        return Json.parse(json, file + ": the header", in -> new SafetensorsHeader(file, in).parse(dataBytes));
    }

    private SequencedMap<String, SafetensorsEntry> parse(long dataBytes) {
        var tensors = new LinkedHashMap<String, SafetensorsEntry>();
        in.fields(name -> {
            if (name.equals(METADATA)) {
                in.skip();
            } else {
                tensors.put(name, tensor(name));
            }
        });
        checkPlaces(new ArrayList<>(tensors.values()), dataBytes);
        return tensors;
    }

    @SuppressWarnings("unchecked")
    private SafetensorsEntry tensor(String name) {
        Map<String, Object> read = in.object(fields, Map.of());
        var offsets = (List<Long>) read.get("data_offsets");
        var shape = new Shape((List<Long>) read.get("shape"));
        var tensor = new SafetensorsEntry(name, (StoredType) read.get("dtype"), shape, offsets.get(0), offsets.get(1));
        checkSize(tensor);
        return tensor;
    }

    private StoredType type() {
        Optional<StoredType> type = StoredType.named(in.text());
        in.require(type.isPresent(), "a type of the safetensors format; weights are " + StoredType.READABLE);
        return type.orElseThrow();
    }

    private List<Long> offsets() {
        List<Long> offsets = in.list(() -> in.whole(0, Long.MAX_VALUE), 2);
        in.require(offsets.size() == 2 && offsets.get(0) <= offsets.get(1), "a beginning and an end");
        return offsets;
    }

    private void checkSize(SafetensorsEntry tensor) {
        long bytes = tensor.end() - tensor.begin();
        String is = "is " + tensor.shape() + " of " + tensor.type();
        long expected;
        try {
            expected = tensor.expectedBytes();
        } catch (ArithmeticException e) {
            throw new DataException(
                    wrong(tensor.name(), is + ", which is more than can be").getMessage(), e);
        }
        if (bytes != expected) {
            throw wrong(tensor.name(), is + ", which is " + expected + " bytes, but its data_offsets span " + bytes);
        }
    }

    private void checkPlaces(List<SafetensorsEntry> tensors, long dataBytes) {
        tensors.sort(Comparator.comparingLong(SafetensorsEntry::begin).thenComparingLong(SafetensorsEntry::end));
        long end = 0;
        String before = "the header";
        for (SafetensorsEntry tensor : tensors) {
            if (tensor.begin() < end) {
                throw wrong(
                        tensor.name(),
                        "overlaps " + before + ": it begins at byte " + tensor.begin() + ", that ends at " + end);
            }
            if (tensor.begin() > end) {
                throw wrong(
                        tensor.name(),
                        "leaves a hole behind " + before + ": bytes " + end + " to " + tensor.begin()
                                + " belong to none");
            }
            end = tensor.end();
            before = "'" + Excerpt.of(tensor.name()) + "'";
            if (end > dataBytes) {
                throw wrong(
                        tensor.name(),
                        "ends at byte " + end + ", but the file holds only " + dataBytes + " bytes of weights");
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
