package io.hirundo.lib.input;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundedLinesTest {
  @Test
  void onlyANewlineEndsALine() throws IOException {
    assertEquals(List.of("a\r", "", "b\u0000c", "last"), read("a\r\n\nb\u0000c\nlast"));
    assertEquals(List.of("a"), read("a\n"));
    assertEquals(List.of(), read(""));
  }

  @Test
  void aLongerLineIsReportedAndTheNextIsRead() throws IOException {
    assertEquals(List.of("12345678", "too long", "b", "too long"), read("12345678\n123456789\nb\n" + "x".repeat(100)));
  }

  private static List<String> read(String text) throws IOException {
    List<String> lines = new ArrayList<>();
    BoundedLines.read(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
        8,
        line -> lines.add(new String(line, StandardCharsets.UTF_8)),
        () -> lines.add("too long"));
    return lines;
  }
}
