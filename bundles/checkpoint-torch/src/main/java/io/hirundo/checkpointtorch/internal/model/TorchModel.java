package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointtorch.internal.folder.StoredTensor;
import io.hirundo.checkpointtorch.internal.folder.TorchFolder;
import io.hirundo.lib.llama.LlamaChoice;
import io.hirundo.lib.llama.LlamaConfig;
import io.hirundo.lib.llama.LlamaReference;
import io.hirundo.lib.llama.LlamaReference.RotaryPairs;
import io.hirundo.model.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/** A checked Llama in a folder. Any thread may read. */
public final class TorchModel implements ModelReader {
  private final TorchFolder folder;
  private final LlamaConfig config;
  private final Naming naming;
  private final SequencedMap<String, StoredTensor> tensors;

  private TorchModel(TorchFolder folder, LlamaConfig config, Naming naming, SequencedMap<String, StoredTensor> tensors) {
    this.folder = folder;
    this.config = config;
    this.naming = naming;
    this.tensors = Collections.unmodifiableSequencedMap(tensors);
  }

  /** Closing it closes the folder; if the constructor fails, the folder stays open. */
  public static TorchModel open(TorchFolder folder, TorchDcpOptions options) {
    Map<String, Shape> shapes = folder.shapes();
    KeyMap keys = KeyMap.find(folder.path(), shapes.keySet(), options.prefix());
    LlamaConfig config = new Described(folder.path(), keys, shapes, options).config();
    return new TorchModel(folder, config, keys.naming(), new TensorCheck(folder, keys, config).tensors());
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
    if (naming == Naming.TORCHTITAN && HeadRows.isRotated(part.path())) {
      StoredTensor tensor = stored(part);
      var rows = new HeadRows(config.heads().dim());
      long rowBytes = part.shape().dim(1) * dtype.byteSize();
      for (long row = 0; row < part.shape().dim(0); row++) {
        ParameterPart one = part.narrow(0, row, 1);
        var offset = List.of(rows.stored(one.offset().get(0)), one.offset().get(1));
        tensor.read(offset, one.shape(), dtype, into.asSlice(row * rowBytes, rowBytes));
      }
    } else {
      readStored(part, dtype, into);
    }
  }

  /** Gives the reference rows in stored order, so that the parity check also covers this class's permutation. */
  @Override
  public Optional<double[][]> referenceLogits(int[] tokens) {
    RotaryPairs pairs = naming == Naming.TORCHTITAN ? RotaryPairs.ADJACENT : RotaryPairs.HALVES;
    return Optional.of(new LlamaReference(config, pairs, this::readStored).logits(tokens));
  }

  private void readStored(ParameterPart part, DType dtype, MemorySegment into) {
    stored(part).read(part.offset(), part.shape(), dtype, into);
  }

  private StoredTensor stored(ParameterPart part) {
    StoredTensor tensor = tensors.get(part.path());
    if (tensor == null) {
      throw new DataException("the model has no tensor '" + part.path() + "'; it has " + tensors.size() + " others");
    }
    if (!tensor.shape().equals(part.globalShape())) {
      throw folder.wrong(tensor.name(), "is " + tensor.shape() + ", but " + part.globalShape() + " was asked for");
    }
    return tensor;
  }

  @Override
  public void close() {
    folder.close();
  }
}
