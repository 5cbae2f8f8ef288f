package __package__;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SequencedMap;
import java.util.regex.Pattern;

/**
 * The file {@code model.json} of a model's folder.
 *
 * @param architecture name and options, as in a configuration
 * @param weights file of all values, in the same folder
 * @param tensors by published name
 */
record __Name__Manifest(Choice architecture, String weights, SequencedMap<String, Tensor> tensors) {
    static final String NAME = "model.json";

    /** Names of weight files. A manifest may be forged: it must not name files elsewhere. */
    static final Pattern WEIGHTS = Pattern.compile("weights-[0-9a-f-]+[.]bin");

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * A tensor.
     *
     * @param dtype of its values, which are little-endian and row-major
     * @param dims its shape
     * @param position of its first byte in the file
     * @param crc32c checksum of its bytes
     */
    record Tensor(DType dtype, List<Long> dims, long position, long crc32c) {
        Shape shape() {
            return new Shape(dims);
        }

        long bytes() {
            return shape().byteSize(dtype);
        }
    }

    /**
     * Reads a manifest.
     *
     * @throws DataException if it is none; in one line, without the parser's excerpt
     */
    static __Name__Manifest read(Path file) {
        try {
            __Name__Manifest manifest = JSON.readValue(file.toFile(), __Name__Manifest.class);
            if (manifest == null
                    || manifest.architecture == null
                    || manifest.tensors == null
                    || manifest.weights == null) {
                throw new DataException(file + " lacks architecture, weights or tensors; export the model again");
            }
            if (!WEIGHTS.matcher(manifest.weights).matches()) {
                throw new DataException(
                        file + ": weights: '" + manifest.weights + "' is wrong (allowed: " + WEIGHTS + ")");
            }
            return manifest;
        } catch (JsonProcessingException e) {
            throw new DataException(
                    file + " is damaged: "
                            + e.getOriginalMessage().lines().findFirst().orElse("") + "; export the model again",
                    e);
        } catch (IOException e) {
            throw new DataException("cannot read " + file + ": " + Reason.of(e) + "; name the folder of a model", e);
        }
    }

    byte[] json() throws IOException {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this);
    }
}
