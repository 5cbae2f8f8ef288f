package io.hirundo.train;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/** Composes strategies into runs. An OSGi service. */
@ProviderType
public interface Trainer {
  /**
   * Prepares a run: checks the configuration, opens device, data and model, and initializes or loads the weights. No run
   * directory is made, no event is sent, and no checkpoint is looked for. On failure nothing stays open.
   *
   * @param configuration as in a {@code config.json}: JSON values
   * @return for the calling thread, which closes it
   * @throws io.hirundo.ConfigurationException for a configuration that cannot be understood (before anything is opened), or
   *     that does not fit what was opened, a sequence longer than the model allows for instance
   * @throws io.hirundo.DataException when data or a model to start from is missing, damaged or too small
   * @throws io.hirundo.DeviceException when the device cannot be used or has too little memory
   */
  TrainingRun prepare(Map<String, Object> configuration);

  /**
   * As {@link #prepare(Map)}, of a configuration in a file.
   *
   * @param configuration JSON or YAML, as its name says
   * @param assignments {@code PATH=VALUE} each, put over it in this order: {@code mesh.tensor=2}
   */
  default TrainingRun prepare(Path configuration, List<String> assignments) {
    throw new UnsupportedOperationException("this trainer reads no configuration files");
  }
}
