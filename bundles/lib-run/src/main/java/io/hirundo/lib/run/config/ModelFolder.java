package io.hirundo.lib.run.config;

import io.hirundo.ConfigurationException;
import io.hirundo.command.ShellLine;
import io.hirundo.train.RunFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Rejects paths that are near a model's folder, but not one, with the setting that names the model. */
public final class ModelFolder {
    private static final String MODEL = "model";
    private static final String CONFIG = "config.json";

    /** What torch.distributed.checkpoint writes last. */
    private static final String DCP = ".metadata";

    /** Of these, a run directory has at least one, and a model none. */
    private static final List<String> OF_RUN =
            List.of("metrics.jsonl", "rank-0", RunFolder.LOCK, RunFolder.ENDED, RunFolder.CHECKPOINTS);

    private ModelFolder() {}

    /**
     * Returns the path, if a model format may read it.
     *
     * @param setting what names the folder, and what joins it with its value: {@code model.from=}, {@code --model }
     * @throws ConfigurationException for a run directory, something in one, or a file of a model
     */
    public static Path require(String setting, Path given) {
        String name = setting.strip().replace("=", "");
        Path near = given.toAbsolutePath().normalize();
        if (isModel(near)) {
            return given;
        }
        if (Files.isRegularFile(given) && isModel(near.getParent())) {
            throw new ConfigurationException(
                    name + ": " + given + " is a file of a model; give its folder: " + setting + folderOf(given));
        }
        for (Path run = near, shown = given;
                run != null && shown != null;
                run = run.getParent(), shown = shown.getParent()) {
            if (isRun(run)
                    && (near.equals(run)
                            || near.startsWith(run.resolve(RunFolder.CHECKPOINTS))
                            || !Files.exists(near))) {
                throw new ConfigurationException(name + ": " + given + ofRun(setting, near.equals(run), shown));
            }
        }
        if (!Files.exists(given)
                && given.getNameCount() == 1
                && isModel(Path.of("runs").resolve(given).resolve(MODEL))) {
            throw new ConfigurationException(
                    name + ": " + given + " does not exist; for the model of the run of this name: " + setting + "runs/"
                            + given + "/" + MODEL);
        }
        return given;
    }

    private static String ofRun(String setting, boolean isRun, Path run) {
        String what = isRun ? " is a run directory, not a model" : " is in a run directory, and not its model";
        return isModel(run.resolve(MODEL))
                ? what + "; give the model in it: " + setting + run.resolve(MODEL)
                : what + ", which it exports when it ends (model.export); to continue the run: "
                        + ShellLine.of(
                                "train", run.resolve(RunFolder.CONFIGURATION).toString(), "--resume");
    }

    private static Path folderOf(Path file) {
        return file.getParent() == null ? Path.of(".") : file.getParent();
    }

    private static boolean isModel(Path folder) {
        return (Files.exists(folder.resolve(CONFIG)) || Files.exists(folder.resolve(DCP))) && !isRun(folder);
    }

    private static boolean isRun(Path folder) {
        return Files.exists(folder.resolve(RunFolder.CONFIGURATION))
                && OF_RUN.stream().anyMatch(each -> Files.exists(folder.resolve(each)));
    }
}
