package io.hirundo.data;

import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.osgi.annotation.versioning.ConsumerType;

/** Reads documents from a text file, JSON lines (optionally gzipped), a zip or jar, or a folder of those. An OSGi service. Thread-safe. */
@ConsumerType
public interface TextReader {
  /**
   * Reads lazily, in a fixed order. The caller closes the stream.
   *
   * @throws io.hirundo.DataException when the source is missing, or holds no text at all; also from within the stream
   */
  Stream<TextDocument> read(Path source, TextSelection selection);

  /**
   * About how many bytes of text a source holds, for a progress display; reads as little as possible of it. Empty where that
   * cannot be told.
   *
   * @throws io.hirundo.DataException when the source is missing
   */
  default OptionalLong approximateBytes(Path source) {
    return OptionalLong.empty();
  }
}
