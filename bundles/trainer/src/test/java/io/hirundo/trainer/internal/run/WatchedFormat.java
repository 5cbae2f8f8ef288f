package io.hirundo.trainer.internal.run;

import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.checkpointhf.internal.HuggingFaceFactory;
import io.hirundo.checkpointhf.internal.HuggingFaceOptions;
import io.hirundo.model.ParameterPart;
import io.hirundo.strategy.Choice;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Hugging Face's, in several files, which remembers who wrote what; and after a number of writes the disk is full. */
final class WatchedFormat implements ModelFormat {
  /**
   * A piece that was written.
   *
   * @param writer one of the ranks
   * @param address of the values
   */
  record Written(ModelWriting writer, ParameterPart part, long address, long bytes) {}

  final List<Written> written = Collections.synchronizedList(new ArrayList<>());
  private final ModelFormat format = new HuggingFaceFactory().create(new HuggingFaceOptions(400_000));
  private final boolean isWhole;
  private final AtomicInteger writesLeft;

  private WatchedFormat(boolean isWhole, int writes) {
    this.isWhole = isWhole;
    this.writesLeft = new AtomicInteger(writes);
  }

  static WatchedFormat ofPieces() {
    return new WatchedFormat(false, Integer.MAX_VALUE);
  }

  static WatchedFormat ofPiecesUntilFull(int writes) {
    return new WatchedFormat(false, writes);
  }

  /** Knows no pieces. */
  static WatchedFormat ofWholes() {
    return new WatchedFormat(true, Integer.MAX_VALUE);
  }

  @Override
  public ModelReader open(Path directory) {
    return format.open(directory);
  }

  @Override
  public void write(Path directory, Choice architecture, List<ModelPart> parts) {
    format.write(directory, architecture, parts);
  }

  @Override
  public Optional<ModelWriting> beginWrite(Path directory, Choice architecture, List<ModelTensor> tensors) {
    return isWhole ? Optional.empty() : format.beginWrite(directory, architecture, tensors).map(Watched::new);
  }

  private final class Watched implements ModelWriting {
    private final ModelWriting writing;

    Watched(ModelWriting writing) {
      this.writing = writing;
    }

    @Override
    public void create() {
      writing.create();
    }

    @Override
    public void write(ParameterPart part, MemorySegment values) {
      if (writesLeft.getAndDecrement() <= 0) {
        throw new StorageException("the disk is full");
      }
      written.add(new Written(this, part, values.address(), values.byteSize()));
      writing.write(part, values);
    }

    @Override
    public void flush() {
      writing.flush();
    }

    @Override
    public void commit(Consumer<ModelReader> check) {
      writing.commit(check);
    }

    @Override
    public void close() {
      writing.close();
    }
  }
}
