package __package__;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/** Writes a rank's file: values, then shards, each with its position and bytes; a checksum of all preceding bytes follows each. */
final class __Name__Writer implements AutoCloseable {
    private static final int CHUNK = 1 << 16;

    private final FileChannel channel;
    private final CRC32C sum = new CRC32C();
    private final DataOutputStream out;

    private __Name__Writer(FileChannel channel) {
        this.channel = channel;
        var buffered = new BufferedOutputStream(Channels.newOutputStream(channel), CHUNK);
        this.out = new DataOutputStream(new CheckedOutputStream(buffered, sum));
    }

    static __Name__Writer create(Path file) throws IOException {
        return new __Name__Writer(FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    void values(Map<String, Object> values) throws IOException {
        value(values);
        checksum();
    }

    void piece(__Name__Piece piece, MemorySegment bytes) throws IOException {
        out.writeBoolean(true);
        text(piece.key());
        text(piece.dtype().name());
        numbers(piece.whole().dims());
        numbers(piece.offset());
        numbers(piece.shape().dims());
        checksum();
        long length = piece.shape().byteSize(piece.dtype());
        byte[] chunk = new byte[CHUNK];
        for (long at = 0; at < length; at += CHUNK) {
            int count = (int) Math.min(CHUNK, length - at);
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at, chunk, 0, count);
            out.write(chunk, 0, count);
        }
        checksum();
    }

    /** Writes JSON values, each with a letter for its type. */
    private void value(Object value) throws IOException {
        switch (value) {
            case null -> out.writeByte('0');
            case Boolean flag -> {
                out.writeByte('b');
                out.writeBoolean(flag);
            }
            case Integer number -> {
                out.writeByte('i');
                out.writeInt(number);
            }
            case Long number -> {
                out.writeByte('l');
                out.writeLong(number);
            }
            case Number number -> {
                out.writeByte('d');
                out.writeDouble(number.doubleValue());
            }
            case String string -> {
                out.writeByte('s');
                text(string);
            }
            case List<?> list -> {
                out.writeByte('a');
                out.writeInt(list.size());
                for (Object each : list) {
                    value(each);
                }
            }
            case Map<?, ?> map -> {
                out.writeByte('o');
                out.writeInt(map.size());
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    text((String) entry.getKey());
                    value(entry.getValue());
                }
            }
            default -> throw new IllegalArgumentException("not a JSON value: " + value.getClass());
        }
    }

    private void numbers(List<Long> numbers) throws IOException {
        out.writeInt(numbers.size());
        for (long number : numbers) {
            out.writeLong(number);
        }
    }

    private void text(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private void checksum() throws IOException {
        out.writeLong(sum.getValue());
    }

    /** Syncs the file to the disk. */
    @Override
    public void close() throws IOException {
        try (channel) {
            out.writeBoolean(false);
            checksum();
            out.flush();
            channel.force(true);
        }
    }
}
