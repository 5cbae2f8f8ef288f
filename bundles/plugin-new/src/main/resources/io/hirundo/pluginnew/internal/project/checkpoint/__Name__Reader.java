package __package__;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/** Reads the files of {@link __Name__Writer} and verifies everything that it returns. */
final class __Name__Reader implements AutoCloseable {
    private static final int CHUNK = 1 << 16;

    private final CRC32C sum = new CRC32C();
    private final DataInputStream in;

    /** Size of the file: a damaged length must not allocate more memory than that. */
    private final long size;

    private __Name__Reader(Path file) throws IOException {
        this.size = Files.size(file);
        this.in = new DataInputStream(
                new CheckedInputStream(new BufferedInputStream(Files.newInputStream(file), CHUNK), sum));
    }

    static __Name__Reader open(Path file) throws IOException {
        return new __Name__Reader(file);
    }

    Map<String, Object> values() throws IOException {
        if (in.readByte() != 'o') {
            throw new IOException("it does not start with an object");
        }
        Map<String, Object> values = object();
        checksum();
        return values;
    }

    /** All shards in order; the memory is valid during the call only. */
    void pieces(BiConsumer<__Name__Piece, MemorySegment> taker) throws IOException {
        while (in.readBoolean()) {
            String key = text();
            DType dtype = dtype();
            List<Long> whole = numbers();
            List<Long> offset = numbers();
            List<Long> shape = numbers();
            checksum();
            var piece = new __Name__Piece(key, dtype, new Shape(whole), offset, new Shape(shape));
            long length = piece.shape().byteSize(dtype);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment bytes = arena.allocate(Math.max(1, length));
                byte[] chunk = new byte[CHUNK];
                for (long at = 0; at < length; at += CHUNK) {
                    int count = (int) Math.min(CHUNK, length - at);
                    in.readFully(chunk, 0, count);
                    MemorySegment.copy(chunk, 0, bytes, ValueLayout.JAVA_BYTE, at, count);
                }
                checksum();
                taker.accept(piece, bytes);
            }
        }
        checksum();
    }

    private Object value() throws IOException {
        byte type = in.readByte();
        return switch (type) {
            case '0' -> null;
            case 'b' -> in.readBoolean();
            case 'i' -> in.readInt();
            case 'l' -> in.readLong();
            case 'd' -> in.readDouble();
            case 's' -> text();
            case 'a' -> {
                List<Object> list = new ArrayList<>();
                for (int i = limited(in.readInt()); i > 0; i--) {
                    list.add(value());
                }
                yield list;
            }
            case 'o' -> object();
            default -> throw new IOException("unknown value type " + type);
        };
    }

    private Map<String, Object> object() throws IOException {
        Map<String, Object> map = new HashMap<>();
        for (int i = limited(in.readInt()); i > 0; i--) {
            map.put(text(), value());
        }
        return map;
    }

    private DType dtype() throws IOException {
        String name = text();
        for (DType dtype : DType.values()) {
            if (dtype.name().equals(name)) {
                return dtype;
            }
        }
        throw new IOException("unknown dtype " + name);
    }

    private List<Long> numbers() throws IOException {
        List<Long> numbers = new ArrayList<>();
        for (int i = limited(in.readInt()); i > 0; i--) {
            numbers.add(in.readLong());
        }
        return numbers;
    }

    private String text() throws IOException {
        return new String(in.readNBytes(limited(in.readInt())), StandardCharsets.UTF_8);
    }

    private int limited(int length) throws IOException {
        if (length < 0 || length > size) {
            throw new IOException("a length of " + length + " in a file of " + size + " bytes");
        }
        return length;
    }

    private void checksum() throws IOException {
        long expected = sum.getValue();
        if (in.readLong() != expected) {
            throw new IOException("checksum mismatch");
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
