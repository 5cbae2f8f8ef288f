package io.hirundo.lib.golden;

import io.hirundo.lib.json.JsonInput;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/** JSON and safetensors files of this repository. They are trusted: what is wrong with one is a bug, not bad input. */
final class GoldenFiles {
    private GoldenFiles() {}

    /** The object in a file. */
    static Map<String, Object> object(Path file) {
        try (JsonInput json = open(read(file), file)) {
            return json.map();
        }
    }

    /** The objects in a list in a file. */
    static List<Map<String, Object>> objects(Path file) {
        try (JsonInput json = open(read(file), file)) {
            return json.list(json::map);
        }
    }

    /** All tensors of a file, by name. */
    static SequencedMap<String, GoldenTensor> tensors(Path file) {
        ByteBuffer bytes = ByteBuffer.wrap(read(file)).order(ByteOrder.LITTLE_ENDIAN);
        int headerBytes = Math.toIntExact(bytes.getLong());
        byte[] header = new byte[headerBytes];
        bytes.get(header);
        ByteBuffer data = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        var tensors = new TreeMap<String, GoldenTensor>();
        try (JsonInput json = open(header, file)) {
            json.map().forEach((name, entry) -> {
                if (!name.equals("__metadata__")) {
                    tensors.put(name, tensor((Map<?, ?>) entry, data));
                }
            });
        }
        return tensors;
    }

    private static GoldenTensor tensor(Map<?, ?> entry, ByteBuffer data) {
        long[] dims = longs(entry.get("shape"));
        int begin = Math.toIntExact(longs(entry.get("data_offsets"))[0]);
        Shape shape = Shape.of(dims);
        double[] values = new double[Math.toIntExact(shape.elements())];
        for (int index = 0; index < values.length; index++) {
            values[index] = switch ((String) entry.get("dtype")) {
                case "F64" -> data.getDouble(begin + 8 * index);
                case "F32" -> data.getFloat(begin + 4 * index);
                case "BF16" -> Float.intBitsToFloat(data.getShort(begin + 2 * index) << 16);
                case String other -> throw new IllegalStateException("elements of type " + other);
            };
        }
        return new GoldenTensor(shape, values);
    }

    /** Whole numbers of a list. */
    static long[] longs(Object list) {
        return ((List<?>) list).stream().mapToLong(value -> (Long) value).toArray();
    }

    private static JsonInput open(byte[] text, Path file) {
        return new JsonInput(text, 0, text.length, file.toString(), IllegalStateException::new);
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
