package io.hirundo.testkit.format;

import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Forwards all calls; subclasses change some. */
public abstract class ForwardingModelReader implements ModelReader {
    private final ModelReader reader;

    protected ForwardingModelReader(ModelReader reader) {
        this.reader = reader;
    }

    @Override
    public Choice architecture() {
        return reader.architecture();
    }

    @Override
    public Set<String> paths() {
        return reader.paths();
    }

    @Override
    public void read(ParameterPart part, DType dtype, MemorySegment into) {
        reader.read(part, dtype, into);
    }

    @Override
    public Optional<double[][]> referenceLogits(int[] tokens) {
        return reader.referenceLogits(tokens);
    }

    @Override
    public Optional<Path> folder() {
        return reader.folder();
    }

    @Override
    public ModelNotes notes() {
        return reader.notes();
    }

    @Override
    public void close() {
        reader.close();
    }
}
