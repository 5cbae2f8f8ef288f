package io.hirundo.checkpointtorch.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointtorch.internal.folder.TorchFolder;
import io.hirundo.checkpointtorch.internal.model.TorchDcpOptions;
import io.hirundo.checkpointtorch.internal.model.TorchModel;
import io.hirundo.family.ModelFamily;
import io.hirundo.strategy.Choice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Reads folders written by torch.distributed.checkpoint. Read only. */
final class TorchDcpFormat implements ModelFormat {
    private final TorchDcpOptions options;
    private final Supplier<List<ModelFamily<?>>> families;

    TorchDcpFormat(TorchDcpOptions options, Supplier<List<ModelFamily<?>>> families) {
        this.options = options;
        this.families = families;
    }

    @Override
    public ModelReader open(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw new DataException(
                    directory + " is no folder; give one that torch.distributed.checkpoint has written");
        }
        TorchFolder folder = TorchFolder.open(directory);
        try {
            return TorchModel.open(folder, options, families.get());
        } catch (RuntimeException | Error failure) {
            folder.close();
            throw failure;
        }
    }

    @Override
    public boolean isWritable() {
        return false;
    }

    @Override
    public void write(Path directory, Choice architecture, List<ModelPart> parts) {
        throw new ConfigurationException(
                "model.format: torch-dcp only reads; set model.exportFormat to huggingface, whose safetensors PyTorch reads too, or"
                        + " model.export to false");
    }
}
