package io.hirundo.launcher;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.Constants;

/** Properties of the framework, and which bundles start when. */
final class FrameworkSettings {
  /** The level on which the bundles run that only a running training needs; other commands never reach it. */
  static final int TRAINING_LEVEL = 2;

  private static final Set<String> ONLY_FOR_TRAINING = Set.of("org.apache.felix.gogo.runtime");

  /** A strategy that is removed in the middle of a step is let go when the step ends, which may be long; SCR waits 5 s by itself. */
  private static final String STEP_MILLIS = String.valueOf(TimeUnit.HOURS.toMillis(1));

  private FrameworkSettings() {}

  static Map<String, String> properties(Path storage) {
    return Map.of(
        Constants.FRAMEWORK_STORAGE, storage.toString(),
        Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT,
        "hirundo.startlevel.training", String.valueOf(TRAINING_LEVEL),
        "ds.lock.timeout.milliseconds", STEP_MILLIS,
        "ds.stop.timeout.milliseconds", STEP_MILLIS);
  }

  static boolean isOnlyForTraining(String symbolicName) {
    return ONLY_FOR_TRAINING.contains(symbolicName);
  }
}
