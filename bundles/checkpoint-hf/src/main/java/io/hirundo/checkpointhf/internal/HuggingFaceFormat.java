package io.hirundo.checkpointhf.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.strategy.Choice;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Folders as the Transformers library reads and writes them: {@code config.json} and safetensors. */
final class HuggingFaceFormat implements ModelFormat {
  private final long maxShardBytes;

  HuggingFaceFormat(long maxShardBytes) {
    this.maxShardBytes = maxShardBytes;
  }

  @Override
  public ModelReader open(Path directory) {
    FolderReplacement.requireFolder(directory);
    LlamaConfig config = ConfigJson.read(directory.resolve(ConfigJson.FILE));
    ModelFiles files = ModelFiles.open(directory);
    try {
      var tensors = new ModelCheck(config, directory).check(files.tensors());
      return new HuggingFaceReader(config, files, tensors);
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
    if (!architecture.name().equals(LlamaChoice.NAME)) {
      throw new ConfigurationException(
          "model.format: huggingface writes models of the architecture " + LlamaChoice.NAME + ", not "
              + architecture.name() + "; set model.export to false or choose another format");
    }
    LlamaConfig config = LlamaChoice.read(architecture);
    PartsCheck.check(LlamaTensors.of(config), parts);
    FolderReplacement.write(
        directory,
        folder -> {
          new ModelWriter(folder, maxShardBytes).write(config, parts);
          try (ModelReader written = open(folder)) {
            check.accept(written);
          }
        });
  }
}
