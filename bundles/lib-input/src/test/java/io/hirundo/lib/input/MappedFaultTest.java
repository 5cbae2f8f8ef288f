package io.hirundo.lib.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MappedFaultTest {
    @TempDir
    private Path folder;

    /** Many reads first: in compiled code the JVM throws later than in interpreted code. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3_000_000})
    void reportsPageFaultOfTruncatedFile(int reads) throws IOException {
        Path file = Files.write(folder.resolve("file"), new byte[1 << 16]);
        try (var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var arena = Arena.ofConfined()) {
            var mapped = channel.map(MapMode.READ_ONLY, 0, 1 << 16, arena);
            for (int read = 0; read < reads; read++) {
                assertEquals("0", read(mapped, read % (1 << 16), file));
            }
            channel.truncate(0);
            assertEquals(
                    file + " cannot be read any more: it was truncated while it was open, or its disk fails",
                    read(mapped, 5, file));
        }
    }

    private static String read(MemorySegment mapped, int at, Path file) {
        try {
            int value = mapped.get(ValueLayout.JAVA_BYTE, at);
            MappedFault.await();
            return value == 0 ? "0" : "another";
        } catch (InternalError failure) {
            return MappedFault.explain(file, failure);
        }
    }

    @Test
    void rethrowsOtherInternalErrors() {
        for (var bug : new InternalError[] {new InternalError("a bug"), new InternalError()}) {
            assertSame(bug, assertThrows(InternalError.class, () -> MappedFault.explain(folder, bug)));
        }
    }
}
