package io.hirundo.checkpointhf.internal.format;

import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointhf.internal.description.FolderNotes;
import io.hirundo.checkpointhf.internal.format.ModelFiles.Place;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.lib.family.StoredSlices;
import io.hirundo.lib.tensor.FloatConversion;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A checked model. Any thread may read. */
final class HuggingFaceReader implements ModelReader {
    private final Path folder;
    private final FamilyModel<?> model;
    private final ModelFiles files;
    private final Map<String, Place> tensors;

    /** Takes ownership of the files. {@code tensors}: by stored name. */
    HuggingFaceReader(Path folder, FamilyModel<?> model, ModelFiles files, Map<String, Place> tensors) {
        this.folder = folder;
        this.model = model;
        this.files = files;
        this.tensors = tensors;
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
        Place place = tensors.get(held.tensor().name());
        if (!held.part().shape().equals(part.globalShape())) {
            throw place.wrong("is " + held.part().shape() + ", but " + part.globalShape() + " was asked for");
        }
        place.file().read(place.tensor(), source -> {
            var conversion = new FloatConversion(source, place.tensor().type().weight(), into, dtype);
            StoredSlices.forEach(
                    held.part(),
                    part,
                    (slice, first) -> slice.forEachRunIn(
                            place.tensor().shape(),
                            (inTensor, inSlice, elements) -> conversion.convert(inTensor, first + inSlice, elements)));
            return null;
        });
    }

    @Override
    public Optional<double[][]> referenceLogits(int[] tokens) {
        return Optional.of(model.referenceLogits(this::rows, tokens));
    }

    /** Rows of a stored tensor in FP64. */
    private double[] rows(String name, long first, int count) {
        Place place = tensors.get(name);
        if (place == null) {
            throw new DataException(folder + ": the reference of the model's family asks for '" + name
                    + "', which its format does not list");
        }
        long rowElements = place.tensor().shape().elements()
                / Math.max(1, place.tensor().shape().dim(0));
        double[] values = new double[Math.toIntExact(count * rowElements)];
        return place.file().read(place.tensor(), source -> {
            new FloatConversion(source, place.tensor().type().weight(), MemorySegment.ofArray(values), DType.FP64)
                    .convert(first * rowElements, 0, values.length);
            return values;
        });
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
