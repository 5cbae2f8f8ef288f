package io.hirundo.trainer.internal.run;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.checkpointhf.internal.HuggingFaceFactory;
import io.hirundo.checkpointhf.internal.HuggingFaceOptions;
import io.hirundo.model.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Hugging Face's, with one thing wrong in the first block where that is asked for.
 *
 * @param reads whether two matrices are in each other's place for who loads the model
 * @param writes whether one matrix has the other sign in the files
 */
record CrookedFormat(boolean reads, boolean writes) implements ModelFormat {
  private static final ModelFormat STRAIGHT = new HuggingFaceFactory().create(new HuggingFaceOptions());
  private static final String ONE = "model.layers.0.self_attn.q_proj.weight";
  private static final String OTHER = "model.layers.0.self_attn.o_proj.weight";

  @Override
  public ModelReader open(Path directory) {
    ModelReader straight = STRAIGHT.open(directory);
    return reads ? new Crooked(straight) : straight;
  }

  @Override
  public void write(Path directory, Choice architecture, List<ModelPart> parts) {
    write(directory, architecture, parts, _ -> {});
  }

  @Override
  public void write(Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
    STRAIGHT.write(directory, architecture, writes ? parts.stream().map(CrookedFormat::turned).toList() : parts, check);
  }

  @Override
  public Optional<ModelWriting> beginWrite(Path directory, Choice architecture, List<ModelTensor> tensors) {
    // Turned is what is written as a whole, as a format does that knows no pieces.
    return writes ? Optional.empty() : STRAIGHT.beginWrite(directory, architecture, tensors);
  }

  private static ModelPart turned(ModelPart part) {
    if (!part.path().equals(OTHER)) {
      return part;
    }
    return new ModelPart(
        part.path(), part.shape(), part.dtype(),
        host -> {
          part.download().accept(host);
          for (long index = 0; index < part.shape().elements(); index++) {
            if (part.dtype() == DType.BF16) {
              host.setAtIndex(ValueLayout.JAVA_SHORT, index, (short) (host.getAtIndex(ValueLayout.JAVA_SHORT, index) ^ 0x8000));
            } else {
              host.setAtIndex(ValueLayout.JAVA_FLOAT, index, -host.getAtIndex(ValueLayout.JAVA_FLOAT, index));
            }
          }
        });
  }

  private static String exchanged(String path) {
    return switch (path) {
      case ONE -> OTHER;
      case OTHER -> ONE;
      default -> path;
    };
  }

  private record Crooked(ModelReader straight) implements ModelReader {
    @Override
    public Choice architecture() {
      return straight.architecture();
    }

    @Override
    public Set<String> paths() {
      return straight.paths();
    }

    @Override
    public void read(ParameterPart part, DType dtype, MemorySegment into) {
      straight.read(
          new ParameterPart(exchanged(part.path()), part.globalShape(), part.offset(), part.shape(), part.replicas()), dtype, into);
    }

    @Override
    public Optional<double[][]> referenceLogits(int[] tokens) {
      return straight.referenceLogits(tokens);
    }

    @Override
    public void close() {
      straight.close();
    }
  }
}
