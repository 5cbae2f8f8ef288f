package io.hirundo.launcher;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.Constants;

/** Framework properties, bundle properties and start levels. */
final class FrameworkSettings {
    /** The start level of bundles that only a running training needs; other commands never reach it. */
    static final int TRAINING_LEVEL = 2;

    private static final Set<String> ONLY_FOR_TRAINING =
            Set.of("org.apache.felix.configadmin", "org.apache.felix.fileinstall");

    /** A strategy removed in the middle of a step is released when the step ends, which may be long; SCR's default is 5 s. */
    private static final String STEP_MILLIS = String.valueOf(TimeUnit.HOURS.toMillis(1));

    /** SCR names its log levels from error on; this one has a number only. */
    private static final String NO_ERRORS = "0";

    private FrameworkSettings() {}

    /**
     * Framework properties.
     *
     * @param home of the distribution, whose folders FileInstall watches
     * @param storage of the framework, in a folder that only this user can enter
     */
    static Map<String, String> properties(Path home, Path storage) {
        return Map.ofEntries(
                Map.entry(Constants.FRAMEWORK_STORAGE, storage.toString()),
                Map.entry(Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT),
                Map.entry("hirundo.startlevel.training", String.valueOf(TRAINING_LEVEL)),
                // The caller logs a component's failure in one line; the runtime would add two stack traces.
                Map.entry("ds.loglevel", System.getProperty("ds.loglevel", NO_ERRORS)),
                Map.entry("ds.lock.timeout.milliseconds", STEP_MILLIS),
                Map.entry("ds.stop.timeout.milliseconds", STEP_MILLIS),
                Map.entry("felix.fileinstall.dir", home.resolve("plugins") + "," + home.resolve("conf")),
                Map.entry("felix.fileinstall.filter", ".*[.](jar|cfg)"),
                Map.entry("felix.fileinstall.subdir.mode", "skip"),
                // FileInstall's default is a folder for temporary files there, which others may write to with a
                // permissive umask.
                Map.entry(
                        "felix.fileinstall.tmpdir",
                        storage.resolveSibling("fileinstall").toString()),
                Map.entry("felix.fileinstall.poll", "500"),
                Map.entry("felix.fileinstall.noInitialDelay", "true"),
                // Poll: the kernel sends no event when another machine writes to a shared folder.
                Map.entry("felix.fileinstall.disableNio2", "true"),
                // Files in conf/ belong to the user: FileInstall must not write back to them.
                Map.entry("felix.fileinstall.enableConfigSave", "false"),
                Map.entry("felix.fileinstall.log.default", "jul"));
    }

    static boolean isOnlyForTraining(String symbolicName) {
        return ONLY_FOR_TRAINING.contains(symbolicName);
    }
}
