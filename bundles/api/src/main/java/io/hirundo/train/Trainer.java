package io.hirundo.train;

import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/** Composes strategies into runs. An OSGi service. */
@ProviderType
public interface Trainer {
  /**
   * Prepares a run: checks the configuration, opens device, data and model. No run directory is made.
   *
   * @param configuration as in a {@code config.json}: JSON values
   * @throws io.hirundo.ConfigurationException before anything is opened
   */
  TrainingRun prepare(Map<String, Object> configuration);
}
