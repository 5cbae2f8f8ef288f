package io.hirundo.lib.inference.stored;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelNotes;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.device.Device;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.run.config.ModelFolder;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.model.Architecture;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.nio.file.Path;

/** Opens a stored model for inference on one device, without gradients and optimizer state. */
public final class OpenModel {
    private OpenModel() {}

    /**
     * Loads the model; the caller closes it.
     *
     * @throws ConfigurationException if the device computes no values, as {@code meta} does
     */
    public static RankModel open(
            StrategyRegistry registry, Path directory, Choice format, Choice device, Choice precision) {
        var resolver = new StrategyResolver(registry);
        var compute = resolver.compute(device, "--device", precision, "--precision");
        var parallel = resolver.parallel(new MeshSection());
        var files = registry.create(ModelFormat.class, format, "--format");
        try (ModelReader reader = files.open(ModelFolder.require("--model ", directory))) {
            var architecture = registry.create(Architecture.class, reader.architecture(), directory.toString());
            RankModel model = RankModel.openAlone(compute, parallel, architecture);
            try {
                requireComputing(model.device());
                new ModelWeights(model).load(reader, directory.toString());
            } catch (RuntimeException | Error failure) {
                model.close();
                throw failure;
            }
            return model;
        }
    }

    /**
     * What the folder says about its model, such as the ids that end a text.
     *
     * @throws io.hirundo.DataException if a file that says it is damaged
     */
    public static ModelNotes notes(StrategyRegistry registry, Path directory, Choice format) {
        try (ModelReader reader =
                registry.create(ModelFormat.class, format, "--format").open(directory)) {
            return reader.notes();
        }
    }

    private static void requireComputing(Device device) {
        if (!device.computes()) {
            throw new ConfigurationException("--device: " + device.info().backend()
                    + " computes no values, so a model has no output there; give one that does, for example cpu");
        }
    }
}
