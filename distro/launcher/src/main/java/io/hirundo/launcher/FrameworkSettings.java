package io.hirundo.launcher;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.Constants;

/** Properties of the framework and of bundles that read theirs there, and which bundles start when. */
final class FrameworkSettings {
  /** The level on which the bundles run that only a running training needs; other commands never reach it. */
  static final int TRAINING_LEVEL = 2;

  private static final Set<String> ONLY_FOR_TRAINING =
      Set.of("org.apache.felix.configadmin", "org.apache.felix.fileinstall");

  /** A strategy that is removed in the middle of a step is let go when the step ends, which may be long; SCR waits 5 s by itself. */
  private static final String STEP_MILLIS = String.valueOf(TimeUnit.HOURS.toMillis(1));

  /** SCR knows levels from error on by their names, and this one by its number alone. */
  private static final String NO_ERRORS = "0";

  private FrameworkSettings() {}

  /**
   * The properties.
   *
   * @param home of the distro, whose folders are watched
   * @param storage of the framework, in a folder that this user alone can enter
   */
  static Map<String, String> properties(Path home, Path storage) {
    return Map.ofEntries(
        Map.entry(Constants.FRAMEWORK_STORAGE, storage.toString()),
        Map.entry(Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT),
        Map.entry("hirundo.startlevel.training", String.valueOf(TRAINING_LEVEL)),
        // What a component throws is told in a line by who wanted it, not in two stack traces by the runtime beside it.
        Map.entry("ds.loglevel", System.getProperty("ds.loglevel", NO_ERRORS)),
        Map.entry("ds.lock.timeout.milliseconds", STEP_MILLIS),
        Map.entry("ds.stop.timeout.milliseconds", STEP_MILLIS),
        Map.entry("felix.fileinstall.dir", home.resolve("plugins") + "," + home.resolve("conf")),
        Map.entry("felix.fileinstall.filter", ".*[.](jar|cfg)"),
        Map.entry("felix.fileinstall.subdir.mode", "skip"),
        // By itself it makes folders in that for temporary files, which with a careless umask others can write to.
        Map.entry("felix.fileinstall.tmpdir", storage.resolveSibling("fileinstall").toString()),
        Map.entry("felix.fileinstall.poll", "500"),
        Map.entry("felix.fileinstall.noInitialDelay", "true"),
        // The kernel does not tell of what another machine writes to a shared folder; looking does.
        Map.entry("felix.fileinstall.disableNio2", "true"),
        // A file in conf/ is the user's: nothing is written back to it.
        Map.entry("felix.fileinstall.enableConfigSave", "false"),
        Map.entry("felix.fileinstall.log.default", "jul"));
  }

  static boolean isOnlyForTraining(String symbolicName) {
    return ONLY_FOR_TRAINING.contains(symbolicName);
  }
}
