package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointtorch.internal.folder.ChunkedTensor;
import io.hirundo.checkpointtorch.internal.folder.TorchFolder;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.lib.family.StoredFamily;
import io.hirundo.lib.family.StoredSlices;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A checked model in a folder. Any thread may read. */
public final class TorchModel implements ModelReader {
    /** Folders have the tensor names of either. */
    private static final List<String> FORMATS = List.of(FamilyFormat.TORCH_DCP, FamilyFormat.HUGGING_FACE);

    private final TorchFolder folder;
    private final FamilyModel<?> model;
    private final Map<String, ChunkedTensor> tensors;

    private TorchModel(TorchFolder folder, FamilyModel<?> model, Map<String, ChunkedTensor> tensors) {
        this.folder = folder;
        this.model = model;
        this.tensors = tensors;
    }

    /** Closing it closes the folder; if this fails, the folder stays open. */
    public static TorchModel open(TorchFolder folder, TorchDcpOptions options, List<ModelFamily<?>> families) {
        Map<String, Shape> shapes = folder.shapes();
        KeyMap keys = KeyMap.find(folder.path(), shapes.keySet(), options.prefix(), StoredFamily.of(families, FORMATS));
        FamilyModel<?> model = new Described(folder.path(), keys, shapes, options.architecture()).model();
        return new TorchModel(folder, model, new TensorCheck(folder, keys, model).tensors());
    }

    @Override
    public Choice architecture() {
        return model.choice();
    }

    @Override
    public Set<String> paths() {
        return model.parameters().keySet();
    }

    @Override
    public void read(ParameterPart part, DType dtype, MemorySegment into) {
        FamilyModel.Held held = model.parameters().get(part.path());
        if (held == null) {
            throw new DataException("the model has no tensor '" + part.path() + "'; it has "
                    + model.parameters().size() + " others");
        }
        ChunkedTensor tensor = tensors.get(held.tensor().name());
        if (!held.part().shape().equals(part.globalShape())) {
            throw folder.wrong(
                    tensor.name(), "is " + held.part().shape() + ", but " + part.globalShape() + " was asked for");
        }
        StoredSlices.forEach(
                held.part(),
                part,
                (slice, first) -> tensor.read(
                        slice.offset(),
                        slice.shape(),
                        dtype,
                        into.asSlice(first * dtype.byteSize(), slice.shape().byteSize(dtype))));
    }

    @Override
    public Optional<double[][]> referenceLogits(int[] tokens) {
        return Optional.of(model.referenceLogits(this::rows, tokens));
    }

    /** Rows of a stored tensor in FP64, in stored order. */
    private double[] rows(String name, long first, int count) {
        ChunkedTensor tensor = tensors.get(name);
        if (tensor == null) {
            throw new DataException(folder.path() + ": the reference of the model's family asks for '" + name
                    + "', which its format does not list");
        }
        List<Long> offset = new ArrayList<>(Collections.nCopies(tensor.shape().rank(), 0L));
        List<Long> dims = new ArrayList<>(tensor.shape().dims());
        offset.set(0, first);
        dims.set(0, (long) count);
        var shape = new Shape(dims);
        double[] values = new double[Math.toIntExact(shape.elements())];
        tensor.read(offset, shape, DType.FP64, MemorySegment.ofArray(values));
        return values;
    }

    @Override
    public void close() {
        folder.close();
    }
}
