package io.hirundo.checkpointtorch.internal.folder;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.checkpointtorch.internal.Golden;
import io.hirundo.tensor.DType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever the bytes are: a DataException or a folder that can be read, and nothing else. */
class DamageTest {
  private static final Path TITAN = Golden.FOLDER.resolve("torchtitan");
  private static final String TENSOR = "model.layers.0.attention.wk.weight";

  @TempDir private Path folder;

  @Test
  void metadataThatEndsAnywhereIsRefused() throws IOException {
    byte[] whole = Files.readAllBytes(TITAN.resolve(MetadataFile.NAME));
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThrows(DataException.class, () -> MetadataFile.parse(TITAN, part));
    }
  }

  @Test
  void metadataWithBitsFlippedIsReadOrRefused() throws IOException {
    byte[] whole = Files.readAllBytes(TITAN.resolve(MetadataFile.NAME));
    var random = new Random(11);
    int refused = 0;
    for (int at = 0; at < whole.length; at++) {
      byte[] flipped = whole.clone();
      flipped[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      refused += isRefused(() -> MetadataFile.parse(TITAN, flipped)) ? 1 : 0;
    }
    assertTrue(refused > whole.length / 4, "refused " + refused);
  }

  @Test
  void bytesWithoutMeaningAreRefused() {
    var random = new Random(12);
    for (int attempt = 0; attempt < 20_000; attempt++) {
      byte[] noise = new byte[2 + random.nextInt(60)];
      random.nextBytes(noise);
      noise[0] = (byte) 0x80;
      noise[1] = 4;
      assertThrows(DataException.class, () -> MetadataFile.parse(TITAN, noise));
    }
  }

  /** Places and extents that are wrong lead nowhere else than to a refusal. */
  @Test
  void foldersWithBitsFlippedAreReadOrRefused() throws IOException {
    Path damaged = Golden.copy("torchtitan", folder.resolve("damaged"));
    byte[] whole = Files.readAllBytes(damaged.resolve(MetadataFile.NAME));
    var random = new Random(13);
    for (int attempt = 0; attempt < 200; attempt++) {
      byte[] flipped = whole.clone();
      flipped[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      Files.write(damaged.resolve(MetadataFile.NAME), flipped);
      isRefused(() -> readAll(damaged));
    }
  }

  private static void readAll(Path path) {
    try (TorchFolder opened = TorchFolder.open(path);
        Arena arena = Arena.ofConfined()) {
      for (String name : opened.shapes().keySet()) {
        if (name.endsWith("wk.weight")) {
          StoredTensor tensor = opened.tensor(name);
          MemorySegment host = arena.allocate(tensor.shape().byteSize(DType.FP32), 8);
          tensor.read(Collections.nCopies(tensor.shape().rank(), 0L), tensor.shape(), DType.FP32, host);
        }
      }
    }
  }

  @Test
  void tensorsThatEndAnywhereAreRefused() throws IOException {
    byte[] whole = oneTensor();
    assertDoesNotThrow(() -> TorchTensor.open(memory(whole), "here"));
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThrows(DataException.class, () -> TorchTensor.open(memory(part), "here"));
    }
  }

  @Test
  void tensorsWithBitsFlippedAreReadOrRefused() throws IOException {
    byte[] whole = oneTensor();
    var random = new Random(14);
    int refused = 0;
    for (int at = 0; at < whole.length; at++) {
      byte[] flipped = whole.clone();
      flipped[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      refused += isRefused(() -> TorchTensor.open(memory(flipped), "here")) ? 1 : 0;
    }
    assertTrue(refused > 150, "of the pickle alone there are so many bytes, and refused were " + refused);
  }

  /** Where a zip says that its directory is large, it has another one that says where it is. */
  @Test
  void theDirectoryOfLargeZipsIsFound() throws IOException {
    byte[] large = oneTensor();
    ByteBuffer end = ByteBuffer.wrap(large).order(ByteOrder.LITTLE_ENDIAN).position(large.length - 22).slice().order(ByteOrder.LITTLE_ENDIAN);
    end.putShort(10, (short) -1).putInt(16, -1);
    assertDoesNotThrow(() -> TorchTensor.open(memory(large), "here"));
  }

  /** As it lies in its file. */
  private static byte[] oneTensor() throws IOException {
    DcpMetadata metadata = MetadataFile.read(TITAN);
    DcpItem item = metadata.item(TENSOR, metadata.tensors().get(TENSOR).chunks().getFirst()).orElseThrow();
    byte[] file = Files.readAllBytes(TITAN.resolve(item.file()));
    return Arrays.copyOfRange(file, (int) item.offset(), (int) (item.offset() + item.length()));
  }

  private static MemorySegment memory(byte[] bytes) {
    return MemorySegment.ofArray(bytes);
  }

  private static boolean isRefused(Runnable reads) {
    try {
      reads.run();
      return false;
    } catch (DataException e) {
      return true;
    }
  }
}
