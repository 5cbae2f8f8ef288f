package io.hirundo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class ReasonTest {
    @Test
    void describesFailuresOfFilesWithoutClassNames() {
        assertEquals("a: no such file or folder", Reason.of(new NoSuchFileException("a")));
        assertEquals("a: permission denied", Reason.of(new AccessDeniedException("a")));
        assertEquals("a: file exists", Reason.of(new FileAlreadyExistsException("a")));
        assertEquals("a: is not empty", Reason.of(new DirectoryNotEmptyException("a")));
        assertEquals("a: is not a folder", Reason.of(new NotDirectoryException("a")));
        assertEquals("a: input or output failed", Reason.of(new FileSystemException("a")));
        assertEquals("it ends too early", Reason.of(new EOFException()));
        assertEquals("it is not UTF-8 text", Reason.of(new MalformedInputException(1)));
        assertEquals(
                "a: Read-only file system", Reason.of(new FileSystemException("a", null, "Read-only file system")));
        assertEquals("No space left on device", Reason.of(new IOException("No space left on device")));
        assertEquals("input or output failed", Reason.of(new IOException()));
    }

    @Test
    void describesTheCauseOfAnExceptionThatOnlyWrapsIt() {
        var missing = new NoSuchFileException("a");
        assertEquals("a: no such file or folder", Reason.of(new UncheckedIOException(missing)));
        assertEquals("a: no such file or folder", Reason.of(new ExecutionException("b", missing)));
        assertEquals("a: no such file or folder", Reason.of(new CompletionException(new RuntimeException(missing))));
        assertEquals("b", Reason.of(new IllegalStateException("b", missing)));
        assertEquals("b", Reason.of(new ConfigurationException("b", missing)));
    }

    @Test
    void describesOtherFailuresWithoutClassNames() {
        assertEquals("there is no class a.B", Reason.of(new ClassNotFoundException("a.B")));
        assertEquals("there is no class a.B", Reason.of(new NoClassDefFoundError("a/B")));
        assertEquals("stack overflow", Reason.of(new StackOverflowError()));
        assertEquals("timeout", Reason.of(new TimeoutException()));
        assertEquals("no reason is given", Reason.of(new RuntimeException()));
        assertEquals("no reason is given", Reason.of(new Exception(" ")));
        assertEquals("no b", Reason.ofTraceLine("java.lang.IllegalStateException: no b"));
        assertEquals("null pointer", Reason.ofTraceLine("java.lang.NullPointerException"));
        assertEquals("at a.B", Reason.ofTraceLine("at a.B"));
        assertEquals("of b", Reason.of(new RuntimeException("java.lang.Error: java.io.IOException: of b")));
    }
}
