package io.hirundo.testkit.format;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.fixture.FolderFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;

/** What readers of a stored model return, and which models and requests they reject. */
public interface ModelReadClauses extends ModelFormatOffer {
    @Clause(
            value = "A reader returns architecture, names and values as they were stored, in every floating dtype",
            remedy = "names of nested options; byte order; conversion between dtypes: round to nearest even")
    default void modelsComeBack(@TempDir Path folder) throws IOException {
        for (DType stored : DTYPES) {
            Path model = stored(Files.createDirectory(folder.resolve(stored.name())), stored, 1);
            for (DType dtype : DTYPES) {
                try (ModelReader reader = format().open(model)) {
                    new StoredModel(this).requireSame(reader, 1, stored, dtype);
                }
            }
        }
    }

    @Clause(
            value = "A reader reads any rectangle of a tensor: ranks load their shards alone",
            remedy = "read(): offsets count in the unsharded tensor, the result is row-major and dense")
    default void slicesAreRead(@TempDir Path folder) throws IOException {
        var fixture = new StoredModel(this);
        try (ModelReader reader = format().open(stored(folder, DType.FP32, 1))) {
            for (int seed = 0; seed < 8; seed++) {
                fixture.pieces(new Random(seed))
                        .forEach(piece -> fixture.requireSame(reader, piece, 1, DType.FP32, DType.FP32));
            }
        }
    }

    @Clause(
            value = "A tensor that is missing is rejected with its name, one of another shape with both shapes",
            remedy = "read(): DataException; compare part.globalShape() with the stored shape")
    default void otherTensorsAreRejected(@TempDir Path folder) throws IOException {
        try (ModelReader reader = format().open(stored(folder, DType.FP32, 1))) {
            for (var tensor : tensors().entrySet()) {
                List<Long> dims = new ArrayList<>(tensor.getValue().dims());
                dims.set(0, dims.getFirst() + 1);
                String other = tensor.getKey() + ".other";
                requireRejected(reader, ParameterPart.whole(other, tensor.getValue()), other);
                requireRejected(
                        reader, ParameterPart.whole(tensor.getKey(), new Shape(dims)), new Shape(dims).toString());
            }
        }
    }

    private static void requireRejected(ModelReader reader, ParameterPart wrong, String named) {
        StoredModel.requireLine(
                assertThrows(DataException.class, () -> StoredModel.read(reader, wrong, DType.FP32), named), named);
    }

    @Clause(
            value =
                    "A model with a file that is truncated or missing is rejected with the path of its folder, unless it reads as before",
            remedy =
                    "open(): check names, shapes and byte ranges of all tensors; every failure of a parser is a DataException")
    default void damagedModelsAreRejected(@TempDir Path folder) throws IOException {
        Path model = stored(folder, DType.FP32, 1);
        for (var file : FolderFiles.read(model).entrySet()) {
            Path path = model.resolve(file.getKey());
            byte[] bytes = file.getValue();
            for (int length : new int[] {0, bytes.length / 2, bytes.length - 1}) {
                if (length >= 0) {
                    Files.write(path, Arrays.copyOf(bytes, length));
                    requireSameOrRejected(model, file.getKey() + " with " + length + " of " + bytes.length + " bytes");
                }
            }
            Files.delete(path);
            requireSameOrRejected(model, "without " + file.getKey());
            Files.write(path, bytes);
        }
        Path nothing = folder.resolve("nothing");
        StoredModel.requireLine(
                assertThrows(DataException.class, () -> format().open(nothing).close(), "a folder that does not exist"),
                nothing.toString());
    }

    private void requireSameOrRejected(Path model, String damage) {
        try (ModelReader reader = format().open(model)) {
            new StoredModel(this).requireSame(reader, 1, DType.FP32);
        } catch (DataException rejected) {
            StoredModel.requireLine(rejected, model.toString());
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(damage + ": " + e, e);
        }
    }
}
