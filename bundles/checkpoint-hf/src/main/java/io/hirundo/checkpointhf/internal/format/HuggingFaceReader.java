package io.hirundo.checkpointhf.internal.format;

import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointhf.internal.description.FolderNotes;
import io.hirundo.checkpointhf.internal.format.ModelFiles.Place;
import io.hirundo.lib.llama.LlamaChoice;
import io.hirundo.lib.llama.LlamaConfig;
import io.hirundo.lib.llama.LlamaReference;
import io.hirundo.lib.llama.LlamaReference.RotaryPairs;
import io.hirundo.lib.tensor.FloatConversion;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.model.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/** A checked model. Any thread may read. */
final class HuggingFaceReader implements ModelReader {
  private final Path folder;
  private final LlamaConfig config;
  private final ModelFiles files;
  private final SequencedMap<String, Place> tensors;

  /** Takes ownership of the files. */
  HuggingFaceReader(Path folder, LlamaConfig config, ModelFiles files, SequencedMap<String, Place> tensors) {
    this.folder = folder;
    this.config = config;
    this.files = files;
    this.tensors = Collections.unmodifiableSequencedMap(tensors);
  }

  @Override
  public Choice architecture() {
    return LlamaChoice.of(config);
  }

  @Override
  public Set<String> paths() {
    return tensors.keySet();
  }

  @Override
  public void read(ParameterPart part, DType dtype, MemorySegment into) {
    Place place = tensors.get(part.path());
    if (place == null) {
      throw new DataException("the model has no tensor '" + part.path() + "'; it has " + tensors.size() + " others");
    }
    if (!place.tensor().shape().equals(part.globalShape())) {
      throw place.wrong("is " + place.tensor().shape() + ", but " + part.globalShape() + " was asked for");
    }
    place.file().read(
        place.tensor(),
        source -> {
          var conversion = new FloatConversion(source, place.tensor().type().weight(), into, dtype);
          TensorSlice.of(part).forEachRunIn(part.globalShape(), conversion::convert);
          return null;
        });
  }

  @Override
  public Optional<double[][]> referenceLogits(int[] tokens) {
    return Optional.of(new LlamaReference(config, RotaryPairs.HALVES, this::read).logits(tokens));
  }

  @Override
  public Optional<Path> folder() {
    return Optional.of(folder);
  }

  @Override
  public ModelNotes notes() {
    return FolderNotes.read(folder);
  }

  @Override
  public void close() {
    files.close();
  }
}
