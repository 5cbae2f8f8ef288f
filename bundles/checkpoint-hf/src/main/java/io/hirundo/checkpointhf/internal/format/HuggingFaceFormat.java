package io.hirundo.checkpointhf.internal.format;

import io.hirundo.checkpoint.ModelDescription;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.checkpointhf.internal.description.DescriptionFiles;
import io.hirundo.checkpointhf.internal.file.FolderReplacement;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Folders as the Transformers library reads and writes them: {@code config.json} and safetensors. */
public final class HuggingFaceFormat implements ModelFormat {
    private final long maxShardBytes;
    private final Supplier<List<ModelFamily<?>>> families;

    /** {@code families}: those installed now, each time they are asked for. */
    public HuggingFaceFormat(long maxShardBytes, Supplier<List<ModelFamily<?>>> families) {
        this.maxShardBytes = maxShardBytes;
        this.families = families;
    }

    @Override
    public ModelReader open(Path directory) {
        FolderReplacement.requireFolder(directory);
        Path configFile = directory.resolve(FolderReplacement.CONFIG);
        FamilyModel<?> model = FamilyModel.read(
                families.get(), FamilyFormat.HUGGING_FACE, Json.readValues(configFile), configFile.toString());
        ModelFiles files = ModelFiles.open(directory);
        try {
            var tensors = new ModelCheck(model, directory).check(files.tensors());
            return new HuggingFaceReader(directory, model, files, tensors);
        } catch (RuntimeException | Error failure) {
            files.close();
            throw failure;
        }
    }

    @Override
    public void write(Path directory, Choice architecture, List<ModelPart> parts) {
        write(directory, architecture, parts, _ -> {});
    }

    @Override
    public void write(Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
        var tensors = parts.stream()
                .map(part -> new ModelTensor(part.path(), part.shape(), part.dtype()))
                .toList();
        try (ModelWriting writing = begin(directory, architecture, tensors)) {
            writing.create();
            for (ModelPart part : parts) {
                try (Arena arena = Arena.ofShared()) {
                    MemorySegment host = arena.allocate(part.shape().byteSize(part.dtype()), 64);
                    part.download().accept(host);
                    writing.write(ParameterPart.whole(part.path(), part.shape()), host);
                }
            }
            writing.flush();
            writing.commit(check);
        }
    }

    @Override
    public Optional<ModelWriting> beginWrite(Path directory, Choice architecture, List<ModelTensor> tensors) {
        return Optional.of(begin(directory, architecture, tensors));
    }

    @Override
    public void describe(Path folder, ModelDescription description) {
        DescriptionFiles.write(folder, description);
    }

    private ModelWriting begin(Path directory, Choice architecture, List<ModelTensor> tensors) {
        FamilyModel<?> model = FamilyModel.of(families.get(), FamilyFormat.HUGGING_FACE, architecture);
        TensorsCheck.check(model.shapes(), tensors);
        return new HuggingFaceWriting(directory, new ModelLayout(model, tensors, maxShardBytes), this::open);
    }
}
