package io.hirundo.testkit.format;

import io.hirundo.checkpoint.ModelDescription;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.strategy.Choice;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Forwards all calls; subclasses change some. */
public abstract class ForwardingModelFormat implements ModelFormat {
    private final ModelFormat format;

    protected ForwardingModelFormat(ModelFormat format) {
        this.format = format;
    }

    @Override
    public ModelReader open(Path directory) {
        return format.open(directory);
    }

    @Override
    public boolean isWritable() {
        return format.isWritable();
    }

    @Override
    public void write(Path directory, Choice architecture, List<ModelPart> parts) {
        write(directory, architecture, parts, written -> {});
    }

    @Override
    public void write(Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
        format.write(directory, architecture, parts, check);
    }

    @Override
    public Optional<ModelWriting> beginWrite(Path directory, Choice architecture, List<ModelTensor> tensors) {
        return format.beginWrite(directory, architecture, tensors);
    }

    @Override
    public void describe(Path folder, ModelDescription description) {
        format.describe(folder, description);
    }
}
