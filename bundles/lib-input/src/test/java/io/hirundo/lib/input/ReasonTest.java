package io.hirundo.lib.input;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.junit.jupiter.api.Test;

class ReasonTest {
    @Test
    void describesFailuresWithoutClassNames() {
        assertEquals("a: no such file or folder", Reason.of(new NoSuchFileException("a")));
        assertEquals("a: permission denied", Reason.of(new AccessDeniedException("a")));
        assertEquals("a: file exists", Reason.of(new FileAlreadyExistsException("a")));
        assertEquals("a: is not empty", Reason.of(new DirectoryNotEmptyException("a")));
        assertEquals("a: is not a folder", Reason.of(new NotDirectoryException("a")));
        assertEquals("it is not UTF-8 text", Reason.of(new MalformedInputException(1)));
        assertEquals(
                "a: Read-only file system", Reason.of(new FileSystemException("a", null, "Read-only file system")));
        assertEquals("No space left on device", Reason.of(new IOException("No space left on device")));
        assertEquals("input or output failed (IOException)", Reason.of(new IOException()));
    }
}
