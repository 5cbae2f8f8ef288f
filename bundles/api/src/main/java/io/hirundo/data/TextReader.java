package io.hirundo.data;

import io.hirundo.ConfigurationException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Reads documents from a text file, JSON lines (optionally gzipped), a zip or jar, or a folder of these. An OSGi service.
 * Thread-safe.
 */
@ConsumerType
public interface TextReader {
    /**
     * Reads lazily, in a fixed order. The caller closes the stream.
     *
     * @throws io.hirundo.DataException if the source is missing or has no text; also thrown while the stream is consumed
     */
    Stream<TextDocument> read(Path source, TextSelection selection);

    /**
     * Approximate bytes of text in a source, for a progress bar. Reads as little as possible. Empty if unknown.
     *
     * @throws io.hirundo.DataException if the source is missing
     */
    default OptionalLong approximateBytes(Path source) {
        return OptionalLong.empty();
    }

    /**
     * A reader of files in this format. The default is for readers that know one format.
     *
     * @throws ConfigurationException if this reader cannot read it
     */
    default TextReader with(TextFormat format) {
        if (!format.equals(TextFormat.AUTO)) {
            throw new ConfigurationException(
                    "--format: the installed text reader has one format; omit --format and --text-field");
        }
        return this;
    }
}
