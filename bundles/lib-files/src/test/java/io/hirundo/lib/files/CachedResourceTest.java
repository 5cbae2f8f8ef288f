package io.hirundo.lib.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CachedResourceTest {
    private static final byte[] CONTENTS = {3, 1, 4, 1, 5};
    private static final FileTime EARLIER = FileTime.fromMillis(1_000_000_000_000L);

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("library");
    }

    /** A resource of a bundle. {@code bytes}: the length that its connection gives, or -1. */
    private static URL resource(long bytes, Supplier<InputStream> contents) {
        var handler = new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
                return new URLConnection(url) {
                    @Override
                    public void connect() {}

                    @Override
                    public long getContentLengthLong() {
                        return bytes;
                    }

                    @Override
                    public InputStream getInputStream() {
                        return contents.get();
                    }
                };
            }
        };
        try {
            return URL.of(URI.create("bundle://1/library"), handler);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static URL resource(long bytes) {
        return resource(bytes, () -> new ByteArrayInputStream(CONTENTS));
    }

    private void writeEarlier(byte[] contents) throws IOException {
        Files.write(file, contents);
        Files.setLastModifiedTime(file, EARLIER);
    }

    @ParameterizedTest
    @ValueSource(longs = {5, -1})
    void unpacksOnce(long bytes) throws Exception {
        file = folder.resolve("1.0/library");
        CachedResource.unpack(file, resource(bytes));
        assertArrayEquals(CONTENTS, Files.readAllBytes(file));
        Files.setLastModifiedTime(file, EARLIER);
        CachedResource.unpack(file, resource(bytes));
        assertEquals(EARLIER, Files.getLastModifiedTime(file));
    }

    @ParameterizedTest
    @ValueSource(longs = {5, -1})
    void replacesTruncatedFile(long bytes) throws Exception {
        for (int length : new int[] {0, 2}) {
            writeEarlier(Arrays.copyOf(CONTENTS, length));
            CachedResource.unpack(file, resource(bytes));
            assertArrayEquals(CONTENTS, Files.readAllBytes(file));
        }
    }

    @Test
    void replacesOtherContentsWhereTheSizeIsUnknown() throws Exception {
        for (byte[] contents : new byte[][] {{3, 1, 4, 1, 6}, {3, 1, 4, 1, 5, 9}}) {
            writeEarlier(contents);
            CachedResource.unpack(file, resource(-1));
            assertArrayEquals(CONTENTS, Files.readAllBytes(file));
        }
    }

    @Test
    void readsNothingWhereTheSizeIsKnown() throws Exception {
        writeEarlier(CONTENTS);
        var reads = new AtomicInteger();
        CachedResource.unpack(file, resource(5, () -> new InputStream() {
            @Override
            public int read() {
                return reads.incrementAndGet();
            }
        }));
        assertEquals(0, reads.get());
    }

    @ParameterizedTest
    @ValueSource(longs = {5, -1})
    void takesCompleteFileOfAReadOnlyFolder(long bytes) throws Exception {
        writeEarlier(CONTENTS);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-x------"));
        try {
            CachedResource.unpack(file, resource(bytes));
            assertEquals(EARLIER, Files.getLastModifiedTime(file));
            assertEquals(Set.of("library"), names());
        } finally {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void leavesNothingBehindWhenUnpackingFails() {
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
        assertThrows(IOException.class, () -> CachedResource.unpack(file, resource(5, () -> broken)));
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
