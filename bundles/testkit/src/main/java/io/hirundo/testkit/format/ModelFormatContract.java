package io.hirundo.testkit.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.testkit.bench.Clause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.io.TempDir;

/** Contract tests for a {@link ModelFormat}. Clauses about writing pass for a format that says that it only reads. */
public interface ModelFormatContract extends ModelFormatOffer {
  /** Dtypes of weights. */
  List<DType> DTYPES = List.of(DType.FP64, DType.FP32, DType.BF16);

  @Clause(value = "A reader returns architecture, names and values as they were stored, in every floating dtype",
      remedy = "names of nested options; byte order; conversion between dtypes: round to nearest even")
  default void modelsComeBack(@TempDir Path folder) throws IOException {
    for (DType stored : DTYPES) {
      Path model = stored(Files.createDirectory(folder.resolve(stored.name())), stored, 1);
      for (DType dtype : DTYPES) {
        try (ModelReader reader = format().open(model)) {
          new StoredModel(this).requireSame(reader, 1, dtype);
        }
      }
    }
  }

  @Clause(value = "A reader reads any rectangle of a tensor: ranks load their shards alone",
      remedy = "read(): offsets count in the unsharded tensor, the result is row-major and dense")
  default void slicesAreRead(@TempDir Path folder) throws IOException {
    var trial = new StoredModel(this);
    try (ModelReader reader = format().open(stored(folder, DType.FP32, 1))) {
      for (int seed = 0; seed < 8; seed++) {
        trial.pieces(new Random(seed)).forEach(piece -> trial.requireSame(reader, piece, 1, DType.FP32));
      }
    }
  }

  @Clause(value = "A tensor that is missing is rejected with its name, one of another shape with both shapes",
      remedy = "read(): DataException; compare part.globalShape() with the stored shape")
  default void otherTensorsAreRejected(@TempDir Path folder) throws IOException {
    try (ModelReader reader = format().open(stored(folder, DType.FP32, 1))) {
      for (var tensor : tensors().entrySet()) {
        List<Long> dims = new ArrayList<>(tensor.getValue().dims());
        dims.set(0, dims.getFirst() + 1);
        String other = tensor.getKey() + ".other";
        requireRejected(reader, ParameterPart.whole(other, tensor.getValue()), other);
        requireRejected(reader, ParameterPart.whole(tensor.getKey(), new Shape(dims)), new Shape(dims).toString());
      }
    }
  }

  private static void requireRejected(ModelReader reader, ParameterPart wrong, String named) {
    requireLine(assertThrows(DataException.class, () -> StoredModel.read(reader, wrong, DType.FP32), named), named);
  }

  @Clause(value = "A model with a file that is truncated or missing is rejected by name, unless it reads as before",
      remedy = "open(): check names, shapes and byte ranges of all tensors; every failure of a parser is a DataException")
  default void damagedModelsAreRejected(@TempDir Path folder) throws IOException {
    Path model = stored(folder, DType.FP32, 1);
    for (var file : StoredModel.files(model).entrySet()) {
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
    requireLine(assertThrows(DataException.class, () -> format().open(nothing).close(), "a folder that does not exist"), nothing.toString());
  }

  private void requireSameOrRejected(Path model, String damage) {
    try (ModelReader reader = format().open(model)) {
      new StoredModel(this).requireSame(reader, 1, DType.FP32);
    } catch (DataException rejected) {
      requireLine(rejected, model.toString());
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(damage + ": " + e, e);
    }
  }

  private static void requireLine(RuntimeException failure, String part) {
    String message = String.valueOf(failure.getMessage());
    assertTrue(message.contains(part) && !message.contains("\n"), () -> "not one line that names " + part + ": " + message);
  }

  @Clause(value = "A format that only reads says so; one that writes rejects a folder that cannot be written",
      remedy = "isWritable() and write(): ConfigurationException that names a format to write, or StorageException that names the folder")
  default void writesWhatItSays(@TempDir Path folder) throws IOException {
    ModelFormat format = format();
    if (!format.isWritable()) {
      assertThrows(ConfigurationException.class, () -> format.write(folder.resolve("model"), architecture(), parts(DType.FP32, 1)));
      assertTrue(StoredModel.files(folder).isEmpty(), "files of a format that only reads");
      return;
    }
    Path occupied = Files.writeString(folder.resolve("occupied"), "").resolve("model");
    var failure = assertThrows(StorageException.class, () -> format.write(occupied, architecture(), parts(DType.FP32, 1)));
    requireLine(failure, occupied.toString());
  }

  @Clause(value = "A model appears complete or not at all: a write that fails leaves the earlier model, and no files",
      remedy = "write(): files under other names, and one rename at the end; remove them if a download throws")
  default void failedWritesChangeNothing(@TempDir Path folder) throws IOException {
    if (format().isWritable()) {
      var failing = new ArrayList<>(parts(DType.FP32, 2));
      ModelPart last = failing.removeLast();
      var lost = new StorageException("the device is lost");
      failing.add(
          new ModelPart(
              last.path(), last.shape(), last.dtype(),
              host -> {
                throw lost;
              }));
      Path fresh = folder.resolve("fresh");
      assertSame(lost, assertThrows(StorageException.class, () -> format().write(fresh, architecture(), failing)));
      assertTrue(StoredModel.files(folder).isEmpty(), () -> "files after a first write failed");
      requireKeepsTheEarlier(folder, model -> assertSame(lost, assertThrows(StorageException.class, () -> format().write(model, architecture(), failing))));
    }
  }

  private void requireKeepsTheEarlier(Path folder, Consumer<Path> failingWrite) throws IOException {
    Path model = stored(folder, DType.FP32, 1);
    Map<Path, byte[]> before = StoredModel.files(folder);
    failingWrite.accept(model);
    assertEquals(before.keySet(), StoredModel.files(folder).keySet(), "files after a failed write");
    try (ModelReader reader = format().open(model)) {
      new StoredModel(this).requireSame(reader, 1, DType.FP32);
    }
  }

  @Clause(value = "A second write replaces the model and leaves no file of the first", remedy = "write(): files of the earlier model")
  default void writesReplaceTheModel(@TempDir Path folder) throws IOException {
    if (format().isWritable()) {
      Path model = stored(folder, DType.FP32, 1);
      int files = StoredModel.files(folder).size();
      stored(folder, DType.FP32, 2);
      try (ModelReader reader = format().open(model)) {
        new StoredModel(this).requireSame(reader, 2, DType.FP32);
      }
      assertEquals(files, StoredModel.files(folder).size(), "files after a second write");
    }
  }

  @Clause(value = "The check gets the written model; one that throws fails the write, and the earlier model stays",
      remedy = "write() with a check: open the new files before the rename; rethrow")
  default void rejectedModelsFailTheWrite(@TempDir Path folder) throws IOException {
    if (format().isWritable()) {
      var rejection = new StorageException("other logits");
      requireKeepsTheEarlier(
          folder,
          model ->
              assertSame(
                  rejection,
                  assertThrows(
                      StorageException.class,
                      () ->
                          format().write(
                              model, architecture(), parts(DType.FP32, 2),
                              written -> {
                                new StoredModel(this).requireSame(written, 2, DType.FP32);
                                throw rejection;
                              }))));
    }
  }

  @Clause(value = "Files that the check adds to folder() become visible with the model",
      remedy = "ModelReader.folder(): empty, unless it is the folder that is renamed")
  default void addedFilesAppearWithTheModel(@TempDir Path folder) throws IOException {
    if (format().isWritable()) {
      Path model = folder.resolve("model");
      var added = new ArrayList<Path>();
      format().write(
          model, architecture(), parts(DType.FP32, 1),
          written ->
              written.folder().ifPresent(
                  place -> {
                    assertFalse(Files.exists(model.resolve("notes.txt")), "a file in the folder before the model appears");
                    try {
                      added.add(Files.writeString(place.resolve("notes.txt"), "added"));
                    } catch (IOException e) {
                      throw new AssertionError("folder() cannot be written: " + e, e);
                    }
                    assertFalse(Files.exists(model.resolve("notes.txt")), "an added file is visible before the model");
                  }));
      assertEquals(!added.isEmpty(), Files.exists(model.resolve("notes.txt")), "the added file is in the model's folder");
    }
  }

  @Clause(value = "Pieces that several ranks write in any order give the files of one writer, for formats that allow it",
      remedy = "beginWrite(): positions must follow from its arguments; write() must touch no byte of others")
  default void ranksWriteTogether(@TempDir Path folder) throws IOException {
    for (DType dtype : DTYPES) {
      Path place = Files.createDirectory(folder.resolve(dtype.name()));
      Path model = place.resolve("model");
      var tensors = tensors().entrySet().stream().map(tensor -> new ModelTensor(tensor.getKey(), tensor.getValue(), dtype)).toList();
      if (!format().isWritable() || format().beginWrite(model, architecture(), tensors).isEmpty()) {
        return;
      }
      writeTogether(model, tensors, dtype);
      Map<Path, byte[]> many = StoredModel.files(model);
      Map<Path, byte[]> one = StoredModel.files(stored(Files.createDirectory(place.resolve("one")), dtype, 1));
      assertEquals(one.keySet(), many.keySet(), "files");
      one.forEach((name, bytes) -> assertTrue(Arrays.equals(bytes, many.get(name)), () -> name + " differs from that of one writer"));
    }
  }

  private void writeTogether(Path model, List<ModelTensor> tensors, DType dtype) {
    var trial = new StoredModel(this);
    var random = new Random(11);
    List<ModelWriting> writers = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      writers.add(format().beginWrite(model, architecture(), tensors).orElseThrow());
    }
    assertFalse(Files.exists(model), "beginWrite() touches storage");
    List<ParameterPart> pieces = trial.pieces(random);
    Collections.shuffle(pieces, random);
    writers.getFirst().create();
    pieces.forEach(piece -> trial.write(writers.get(random.nextInt(3)), piece, dtype, 1));
    writers.forEach(ModelWriting::flush);
    assertFalse(Files.exists(model), "the model appears before commit()");
    writers.getFirst().commit(written -> trial.requireSame(written, 1, dtype));
    writers.forEach(ModelWriting::close);
  }
}
