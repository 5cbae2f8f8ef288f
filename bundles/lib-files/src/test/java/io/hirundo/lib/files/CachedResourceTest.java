package io.hirundo.lib.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CachedResourceTest {
  private static final byte[] CONTENTS = {3, 1, 4, 1, 5};

  @TempDir private Path folder;
  private final AtomicInteger opened = new AtomicInteger();

  private InputStream open() {
    opened.incrementAndGet();
    return new ByteArrayInputStream(CONTENTS);
  }

  @Test
  void unpacksOnce() throws Exception {
    Path file = folder.resolve("1.0/library");
    CachedResource.unpack(file, this::open);
    CachedResource.unpack(file, this::open);
    assertArrayEquals(CONTENTS, Files.readAllBytes(file));
    assertEquals(1, opened.get());
  }

  @Test
  void replacesTruncatedFile() throws Exception {
    Path file = folder.resolve("library");
    CachedResource.unpack(file, this::open);
    Files.write(file, Arrays.copyOf(CONTENTS, 2));
    CachedResource.unpack(file, this::open);
    assertArrayEquals(CONTENTS, Files.readAllBytes(file));
  }

  @Test
  void replacesFileOfUnknownSize() throws Exception {
    Path file = folder.resolve("library");
    for (String size : new String[] {null, "", "-5", "many"}) {
      Files.write(file, new byte[] {1});
      Path told = folder.resolve("library.size");
      if (size == null) {
        Files.deleteIfExists(told);
      } else {
        Files.writeString(told, size);
      }
      CachedResource.unpack(file, this::open);
      assertArrayEquals(CONTENTS, Files.readAllBytes(file), "size file: " + size);
    }
  }

  @Test
  void leavesNothingBehindWhenUnpackingFails() {
    Path file = folder.resolve("library");
    var broken = new InputStream() {
      private int left = 3;

      @Override
      public int read() throws IOException {
        if (--left < 0) {
          throw new IOException("No space left on device");
        }
        return 7;
      }
    };
    assertThrows(IOException.class, () -> CachedResource.unpack(file, () -> broken));
    assertEquals(Set.of(), names());
  }

  private Set<String> names() {
    try (var files = Files.list(folder)) {
      return files.map(each -> each.getFileName().toString()).collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
