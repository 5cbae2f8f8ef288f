package __package__;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.format.ModelFormatContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of a model format, one test per clause; and tests of what this one checks besides. */
@HirundoContract
class __Name__FormatTest implements ModelFormatContract {
    @Override
    public ModelFormat format() {
        return new __Name__Factory().create(new __Name__Options());
    }

    /** A manifest may be forged. */
    @ParameterizedTest
    @ValueSource(strings = {"-1", "null", "4611686018427387904, 4"})
    void wrongShapesAreRejected(String dims, @TempDir Path folder) throws IOException {
        Path manifest = stored(folder, DType.FP32, 1).resolve(__Name__Manifest.NAME);
        String forged = Files.readString(manifest).replaceFirst("(\"dims\" : \\[)[^]]*", "$1" + dims);
        Files.writeString(manifest, forged);
        var failure = assertThrows(
                DataException.class, () -> format().open(manifest.getParent()).close());
        assertTrue(failure.getMessage().contains("tensor 'embedding.weight'"), failure.getMessage());
    }

    @Test
    void flippedBitsAreFound(@TempDir Path folder) throws IOException {
        Path model = stored(folder, DType.BF16, 1);
        List<Path> files;
        try (Stream<Path> all = Files.list(model)) {
            files = all.filter(file -> file.toString().endsWith(".bin")).toList();
        }
        byte[] bytes = Files.readAllBytes(files.getFirst());
        bytes[bytes.length / 2] ^= 4;
        Files.write(files.getFirst(), bytes);
        var failure =
                assertThrows(DataException.class, () -> format().open(model).close());
        assertTrue(failure.getMessage().contains("its checksum is wrong"), failure.getMessage());
    }
}
