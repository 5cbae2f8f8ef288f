package io.hirundo.train;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/** Assembles runs from strategies. An OSGi service. */
@ProviderType
public interface Trainer {
    /**
     * Prepares a run: checks the configuration, opens device, data and model, and initializes or loads the weights. Creates no run
     * folder, sends no event, and does not resume. After a failure nothing stays open.
     *
     * @param configuration as in a {@code config.json}: JSON values
     * @return for the calling thread, which closes it
     * @throws io.hirundo.ConfigurationException if the configuration is invalid (before anything is opened), or does not fit what
     *     was opened, for instance a sequence longer than the model allows
     * @throws io.hirundo.DataException if data or the initial model is missing, damaged or too small
     * @throws io.hirundo.DeviceException if the device cannot be used or has too little memory
     */
    TrainingRun prepare(Map<String, Object> configuration);

    /**
     * Like {@link #prepare(Map)}, with a configuration file.
     *
     * @param configuration JSON or YAML, by file extension
     * @param assignments {@code PATH=VALUE} each, applied in this order: {@code mesh.tensor=2}
     */
    default TrainingRun prepare(Path configuration, List<String> assignments) {
        throw new UnsupportedOperationException("this trainer reads no configuration files");
    }
}
