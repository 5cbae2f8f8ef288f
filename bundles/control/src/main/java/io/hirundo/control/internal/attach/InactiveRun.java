package io.hirundo.control.internal.attach;

import io.hirundo.Reason;
import io.hirundo.command.ShellLine;
import io.hirundo.control.internal.socket.SocketFile;
import io.hirundo.train.RunFolder;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** What to do with a run that nothing answers for, by what its directory holds. */
record InactiveRun(Path directory) {
    /**
     * The message of {@code attach}, with the command to type.
     *
     * @param failure why the run could not be reached
     */
    String message(IOException failure) {
        String what = "no training is running in " + directory.toAbsolutePath().normalize() + " on this machine"
                + detail(failure);
        Path configuration = directory.resolve(RunFolder.CONFIGURATION);
        if (!Files.exists(configuration)) {
            return what + ", and the directory is not a run: it has no " + RunFolder.CONFIGURATION
                    + "; give the directory of a run";
        }
        if (!hasCheckpoint()) {
            return what + ", and it has no checkpoint to continue from; to train again under another name, type: "
                    + ShellLine.of("train", configuration.toString(), "--set", "run.name=NAME");
        }
        if (Files.exists(directory.resolve(RunFolder.ENDED))) {
            return what + ": the run has ended; to train it for more steps, type: "
                    + ShellLine.of("train", configuration.toString(), "--resume", "--set", "training.steps=STEPS");
        }
        return what + "; to continue it, type: " + ShellLine.of("train", configuration.toString(), "--resume");
    }

    /** Empty where there is no socket, or nobody listens on it: that says no more than that nothing runs. */
    private String detail(IOException failure) {
        boolean isAbsent = Files.notExists(SocketFile.addressIn(directory).getPath());
        return isAbsent || failure instanceof ConnectException ? "" : " (" + Reason.of(failure) + ")";
    }

    private boolean hasCheckpoint() {
        try (DirectoryStream<Path> checkpoints =
                Files.newDirectoryStream(directory.resolve(RunFolder.CHECKPOINTS), InactiveRun::isCheckpoint)) {
            return checkpoints.iterator().hasNext();
        } catch (IOException none) {
            return false;
        }
    }

    /** Names are those of the run's strategy, which may be a third party's. Ours end in a number, and say so while they are not complete. */
    private static boolean isCheckpoint(Path entry) {
        String name = entry.getFileName().toString();
        return name.matches(".*\\d") && !name.contains(".tmp-");
    }
}
