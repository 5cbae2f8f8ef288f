package io.hirundo.trainer.internal.run;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.device.MemoryCategory;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.Parameter;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;

/**
 * Brings a model together on rank 0, tensor by tensor, and writes it. All ranks take part: each sends the pieces that it owns,
 * with a header that says where they belong.
 */
final class ModelExport {
  /** A run of elements is three rectangles at most. */
  private static final int MOST_PIECES = 3;

  private static final int PLACE_INTS = 4;
  private static final int HEADER_INTS = 1 + MOST_PIECES * PLACE_INTS;

  private final RankModel model;
  private final ProcessGroup everyone;
  private final DType dtype;
  private final SequencedMap<String, Shape> tensors;

  ModelExport(RankModel model) {
    this.model = model;
    this.everyone = model.rank().everyone();
    this.dtype = model.parameterType();
    this.tensors = ModelTensors.of(model.spec());
  }

  /** On rank 0 writes the model as it is now, and lets {@code check} see it before it appears; on the others helps. */
  void write(ModelFormat format, Path directory, Choice architecture, Consumer<ModelReader> check) {
    if (everyone.rank() == 0) {
      var parts = new ArrayList<ModelPart>();
      tensors.forEach(
          (path, shape) -> parts.add(new ModelPart(path, shape, dtype, host -> collect(path, shape, host))));
      format.write(directory, architecture, parts, check);
    } else {
      tensors.keySet().forEach(this::send);
    }
  }

  /** Where a piece lies in its tensor, which is read as a matrix. */
  private record Place(int row, int column, int rows, int columns) {}

  private record Found(Place place, Tensor values) {}

  private List<Found> own(String path) {
    var found = new ArrayList<Found>();
    for (Parameter run : model.sharded().owned()) {
      for (OwnedPieces.Piece piece : OwnedPieces.of(run)) {
        var part = piece.part();
        if (part.path().equals(path) && part.replicas().isFirst()) {
          boolean matrix = part.shape().rank() > 1;
          var place =
              new Place(
                  Math.toIntExact(part.offset().get(0)),
                  matrix ? Math.toIntExact(part.offset().get(1)) : 0,
                  Math.toIntExact(part.shape().dim(0)),
                  matrix ? Math.toIntExact(part.shape().dim(1)) : 1);
          found.add(new Found(place, piece.in(run.value())));
        }
      }
    }
    return found;
  }

  private void collect(String path, Shape shape, MemorySegment host) {
    own(path).forEach(found -> store(found, shape, host));
    for (int peer = 1; peer < everyone.size(); peer++) {
      for (Place place : receiveHeader(peer)) {
        Shape extents = Shape.of(place.rows(), place.columns());
        try (Tensor values = model.device().allocate(MemoryCategory.COMMUNICATION, extents, dtype)) {
          everyone.receive(model.queue(), values, peer).await();
          store(new Found(place, values), shape, host);
        }
      }
    }
  }

  private void store(Found found, Shape shape, MemorySegment host) {
    Place place = found.place();
    long columns = shape.rank() > 1 ? shape.dim(1) : 1;
    long width = place.columns() * (long) dtype.byteSize();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment piece = arena.allocate(found.values().byteSize(), 64);
      model.device().transfer().download(model.queue(), found.values(), piece);
      model.queue().drain();
      for (long row = 0; row < place.rows(); row++) {
        long target = ((place.row() + row) * columns + place.column()) * dtype.byteSize();
        MemorySegment.copy(piece, row * width, host, target, width);
      }
    }
  }

  private void send(String path) {
    List<Found> found = own(path);
    int[] header = new int[HEADER_INTS];
    header[0] = found.size();
    for (int index = 0; index < found.size(); index++) {
      Place place = found.get(index).place();
      int[] ints = {place.row(), place.column(), place.rows(), place.columns()};
      System.arraycopy(ints, 0, header, 1 + index * PLACE_INTS, PLACE_INTS);
    }
    try (Tensor onDevice = header()) {
      HostCopies.upload(model.device(), model.queue(), header, onDevice);
      everyone.send(model.queue(), onDevice, 0).await();
    }
    found.forEach(piece -> everyone.send(model.queue(), piece.values(), 0).await());
  }

  private List<Place> receiveHeader(int peer) {
    int[] header;
    try (Tensor onDevice = header()) {
      everyone.receive(model.queue(), onDevice, peer).await();
      header = HostCopies.readInts(model.device(), model.queue(), onDevice);
    }
    var places = new ArrayList<Place>();
    for (int index = 0; index < header[0]; index++) {
      int at = 1 + index * PLACE_INTS;
      places.add(new Place(header[at], header[at + 1], header[at + 2], header[at + 3]));
    }
    return places;
  }

  private Tensor header() {
    return model.device().allocate(MemoryCategory.COMMUNICATION, Shape.of(HEADER_INTS), DType.INT32);
  }
}
