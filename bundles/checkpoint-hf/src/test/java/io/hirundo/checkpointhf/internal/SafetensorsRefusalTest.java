package io.hirundo.checkpointhf.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Damaged safetensors files, made by hand; the sound one beside them is read. */
class SafetensorsRefusalTest {
  private static final String A = "'a':{'dtype':'F32','shape':[2,3],'data_offsets':[0,24]}";
  private static final String B = "'b':{'dtype':'BF16','shape':[4],'data_offsets':[24,32]}";

  @TempDir Path folder;

  @Test
  void theSoundFileIsRead() throws IOException {
    try (var file = SafetensorsFile.open(write("{" + A + "," + B + "}", 32))) {
      assertEquals(2, file.tensors().size());
    }
    try (var empty = SafetensorsFile.open(write("{}", 0))) {
      assertTrue(empty.tensors().isEmpty());
    }
    try (var scalar = SafetensorsFile.open(write("{'s':{'dtype':'F64','shape':[],'data_offsets':[0,8]}}  ", 8))) {
      assertEquals(1, scalar.tensors().get("s").shape().elements());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{<A>,'b':{'dtype':'Q8','shape':[4],'data_offsets':[24,32]}} | 32 | 'b' has the unknown data type 'Q8'",
        "{<A>,'b':{'shape':[4],'data_offsets':[24,32]}} | 32 | 'b' has the unknown data type ''",
        "{<A>,'b':{'dtype':'BF16','data_offsets':[24,32]}} | 32 | 'b' has no list of numbers 'shape'",
        "{<A>,'b':{'dtype':'BF16','shape':[4]}} | 32 | 'b' has no list of numbers 'data_offsets'",
        "{<A>,'b':{'dtype':'BF16','shape':[-4],'data_offsets':[24,32]}} | 32 | 'b' has the shape [-4]",
        "{<A>,'b':{'dtype':'BF16','shape':[4.0],'data_offsets':[24,32]}} | 32 | 'b' has the shape [4.0]",
        "{<A>,'b':{'dtype':'BF16','shape':['4'],'data_offsets':[24,32]}} | 32 | 'b' has the shape",
        "{<A>,'b':{'dtype':'BF16','shape':[4],'data_offsets':[32,24]}} | 32 | 'b' has the data_offsets [32,24]",
        "{<A>,'b':{'dtype':'BF16','shape':[4],'data_offsets':[24,28,32]}} | 32 | 'b' has the data_offsets",
        "{<A>,'b':{'dtype':'BF16','shape':[5],'data_offsets':[24,32]}} | 32 | 'b' is [5] of BF16, which is 10 bytes",
        "{<A>,'b':{'dtype':'F64','shape':[4],'data_offsets':[24,32]}} | 32 | 'b' is [4] of F64, which is 32 bytes",
        "{<A>,'b':{'dtype':'F64','shape':[4611686018427387904,4],'data_offsets':[24,32]}} | 32 | more than can be",
        "{<A>,'b':{'dtype':'BF16','shape':[99999999999999999999],'data_offsets':[24,32]}} | 32 | 'b' has the shape",
        "{<A>,'b':{'dtype':'BF16','shape':[4],'data_offsets':[20,28]}} | 28 | 'b' overlaps 'a'",
        "{<A>,'b':{'dtype':'BF16','shape':[4],'data_offsets':[0,8]}} | 24 | overlaps 'b'",
        "{<A>,'b':{'dtype':'BF16','shape':[4],'data_offsets':[28,36]}} | 36 | 'b' leaves a hole behind 'a'",
        "{'b':{'dtype':'BF16','shape':[4],'data_offsets':[24,32]}} | 32 | 'b' leaves a hole behind the header",
        "{<A>,<B>} | 31 | 'b' ends at byte 32, but the file holds only 31",
        "{<A>,<B>} | 33 | the last 1 bytes belong to no tensor",
        "{<A>,<A>} | 24 | the header is not valid JSON: Duplicate",
        "{<A>,<B> | 32 | the header is not valid JSON",
        "{<A>,<B>} {} | 32 | the header is not valid JSON",
        "[1,2,3] | 32 | the header is not a JSON object",
        "{'a':7} | 0 | 'a' has the unknown data type",
        "not JSON | 0 | the header is not valid JSON",
      })
  void aDamagedHeaderIsRefused(String header, int dataBytes, String message) throws IOException {
    refuses(write(header.replace("<A>", A).replace("<B>", B), dataBytes), message);
  }

  @Test
  void aWrongLengthIsRefused() throws IOException {
    byte[] sound = Files.readAllBytes(write("{" + A + "}", 24));
    for (long length : new long[] {0, 1, -1, Long.MIN_VALUE, 100_000_001, Long.MAX_VALUE}) {
      ByteBuffer.wrap(sound).order(ByteOrder.LITTLE_ENDIAN).putLong(0, length);
      refuses(Files.write(folder.resolve("x.safetensors"), sound), "its header claims " + Long.toUnsignedString(length));
    }
    ByteBuffer.wrap(sound).order(ByteOrder.LITTLE_ENDIAN).putLong(0, sound.length - 7);
    refuses(Files.write(folder.resolve("x.safetensors"), sound), "follow");
  }

  @Test
  void everyTruncationIsRefused() throws IOException {
    byte[] sound = Files.readAllBytes(write("{" + A + "," + B + "}", 32));
    for (int bytes = 0; bytes < sound.length; bytes++) {
      Path cut = Files.write(folder.resolve("cut.safetensors"), Arrays.copyOf(sound, bytes));
      var failure = assertThrows(DataException.class, () -> SafetensorsFile.open(cut).close(), "at " + bytes);
      assertTrue(failure.getMessage().startsWith(cut.toString()), failure.getMessage());
    }
  }

  @Test
  void aHeaderThatIsNotTextIsRefused() throws IOException {
    byte[] bytes = Files.readAllBytes(write("{" + A + "}", 24));
    bytes[10] = (byte) 0xff;
    refuses(Files.write(folder.resolve("x.safetensors"), bytes), "not valid JSON");
  }

  private static void refuses(Path file, String message) {
    var failure = assertThrows(DataException.class, () -> SafetensorsFile.open(file).close());
    assertTrue(failure.getMessage().startsWith(file.toString()), failure.getMessage());
    assertTrue(failure.getMessage().contains(message), failure.getMessage());
  }

  private Path write(String header, int dataBytes) throws IOException {
    byte[] json = header.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    var file = ByteBuffer.allocate(8 + json.length + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
    file.putLong(json.length).put(json);
    return Files.write(folder.resolve("model.safetensors"), file.array());
  }
}
