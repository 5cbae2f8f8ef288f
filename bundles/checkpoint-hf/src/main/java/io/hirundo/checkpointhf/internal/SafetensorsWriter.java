package io.hirundo.checkpointhf.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.checkpoint.ModelPart;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes a safetensors file. Wide types come first, so that every tensor is aligned to its type. */
final class SafetensorsWriter {
  private static final int ALIGNMENT_BYTES = 8;

  private SafetensorsWriter() {}

  /** Asks the parts for their values one by one, in order. */
  static void write(Path file, List<ModelPart> parts) throws IOException {
    ObjectNode json = Json.mapper().createObjectNode();
    json.putObject(SafetensorsHeader.METADATA).put("format", "pt");
    Map<ModelPart, Long> places = new HashMap<>();
    long end = 0;
    for (ModelPart part : byWidth(parts)) {
      places.put(part, end);
      long begin = end;
      end += part.shape().byteSize(part.dtype());
      ObjectNode tensor = json.putObject(part.path());
      tensor.put("dtype", StoredType.of(part.dtype()).name());
      part.shape().dims().forEach(tensor.withArray("shape")::add);
      tensor.putArray("data_offsets").add(begin).add(end);
    }
    ByteBuffer header = header(Json.mapper().writeValueAsBytes(json));
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      long dataBegin = header.remaining();
      DurableFile.writeAll(channel, MemorySegment.ofBuffer(header), 0);
      for (ModelPart part : parts) {
        writeValues(channel, part, dataBegin + places.get(part));
      }
      channel.force(true);
    }
  }

  private static List<ModelPart> byWidth(List<ModelPart> parts) {
    Comparator<ModelPart> width = Comparator.comparingInt(part -> part.dtype().byteSize());
    return parts.stream().sorted(width.reversed()).toList();
  }

  private static ByteBuffer header(byte[] json) {
    int padded = Math.ceilDiv(json.length, ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    byte[] text = Arrays.copyOf(json, padded);
    Arrays.fill(text, json.length, padded, (byte) ' ');
    return ByteBuffer.allocate(SafetensorsHeader.LENGTH_BYTES + padded)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(padded)
        .put(text)
        .flip();
  }

  private static void writeValues(FileChannel channel, ModelPart part, long position) throws IOException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment host = arena.allocate(part.shape().byteSize(part.dtype()), 64);
      part.download().accept(host);
      DurableFile.writeAll(channel, host, position);
    }
  }
}
