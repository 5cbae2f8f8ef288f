package io.hirundo.checkpointdcp.internal.command;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.Reason;
import io.hirundo.checkpointdcp.internal.disk.RunLock;
import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.memory.MemoryPrune;
import io.hirundo.checkpointdcp.internal.store.CheckpointFolder;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import io.hirundo.checkpointdcp.internal.store.Retention;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Deletes checkpoints that need not be kept. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=checkpoint prune")
@picocli.CommandLine.Command(
        name = "prune",
        description = {
            "Deletes all checkpoints of a run except the newest ones (--keep-last) and those at multiples of --keep-every steps, and the "
                    + "remains of interrupted saves. Of the checkpoints in this machine's memory it deletes those that are not newer than all "
                    + "on storage. It first reads the newest checkpoint completely, and deletes nothing if that one is damaged. It keeps damaged "
                    + "checkpoints, and links to checkpoints in other folders; a link does not count for --keep-last."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo checkpoint prune runs/first --keep-last 1 --dry-run",
            "  hirundo checkpoint prune runs/first --keep-last 2 --keep-every 1000"
        })
public final class PruneCommand implements Command {
    private static final String IN_MEMORY = CheckpointStore.MEMORY + "/";

    private final Interruption interruption;

    @Parameters(paramLabel = "RUN", description = "Folder of a run, or of its checkpoints.")
    private Path path;

    @Option(
            names = "--keep-last",
            paramLabel = "N",
            required = true,
            description = "So many of the newest stay; at least 1.")
    private int keepLast;

    @Option(
            names = "--keep-every",
            paramLabel = "STEPS",
            defaultValue = "0",
            description = "Those whose step is a multiple of this stay as well. Default: none.")
    private long keepEvery;

    @Option(names = "--dry-run", description = "Says what would be deleted, and deletes nothing.")
    private boolean dryRun;

    @Activate
    public PruneCommand(@Reference Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        if (keepLast < 1 || keepEvery < 0) {
            throw new ConfigurationException(
                    "--keep-last must be at least 1, and --keep-every a number of steps, or 0");
        }
        if (CheckpointName.of(path.toAbsolutePath().normalize()).isPresent()) {
            throw new ConfigurationException(path + " is a single checkpoint; give the folder of its run");
        }
        NamedCheckpoints named = NamedCheckpoints.someAt(path);
        CheckpointStore store = named.store();
        // The lock is held before the look that counts.
        try (var _ = RunLock.of(store.directory())) {
            prune(store, named.inMemory());
        } catch (IOException e) {
            throw new CheckpointException(
                    store.directory() + " could not be tidied up: " + Reason.of(e) + "; mend the folder", e);
        } catch (CancellationException interrupted) {
            return ExitCode.INTERRUPTED;
        }
        return ExitCode.OK;
    }

    private void prune(CheckpointStore store, CheckpointStore inMemory) throws IOException {
        List<SavedCheckpoint> superfluous = store.superfluous(new Retention(keepLast, keepEvery));
        long newestStep = store.own().stream()
                .findFirst()
                .map(newest -> newest.name().step())
                .orElse(-1L);
        List<SavedCheckpoint> copies = inMemory.own().stream()
                .filter(copy -> copy.name().step() <= newestStep)
                .toList();
        if (!superfluous.isEmpty() || !copies.isEmpty()) {
            requireGood(store.own().getFirst());
        }
        for (SavedCheckpoint old : superfluous) {
            long bytes = old.info().bytes();
            if (!dryRun) {
                store.discard(old);
            }
            say(old.name().toString(), bytes);
        }
        for (SavedCheckpoint copy : copies) {
            prune(copy, inMemory);
        }
        for (Path leftover : store.trash().leftovers()) {
            say(leftover.getFileName().toString(), 0);
        }
        if (!dryRun) {
            store.trash().removeLeftovers();
        }
        sayLeftAlone("", store);
        sayLeftAlone(IN_MEMORY, inMemory);
    }

    /** Its manifest stays as long as other nodes have data of it, which are to be pruned there. */
    private void prune(SavedCheckpoint copy, CheckpointStore inMemory) throws IOException {
        var here = new MemoryPrune(copy);
        long bytes = here.bytesHere();
        boolean isAll = here.isAllHere();
        if (!dryRun) {
            here.deleteHere();
            if (isAll) {
                inMemory.discard(copy);
            }
        }
        String name = IN_MEMORY + copy.name();
        if (isAll) {
            say(name, bytes);
        } else {
            System.out.println(name + (dryRun ? "  would be deleted" : "  deleted") + " on this machine, "
                    + Quantity.bytes(bytes) + "; run this on the other nodes of the run too, or remove " + copy.folder()
                    + " where they have been restarted");
        }
    }

    private static void sayLeftAlone(String prefix, CheckpointStore store) throws IOException {
        for (CheckpointFolder found : store.all()) {
            if (found.isLinked()) {
                System.out.println(prefix + found.name() + "  left alone, it is a link to "
                        + Files.readSymbolicLink(found.folder()));
            } else if (!found.isWhole()) {
                System.out.println(prefix + found.name() + "  left alone, it is damaged: "
                        + found.problem().getMessage());
            }
        }
    }

    private void say(String name, long bytes) {
        System.out.println(name
                + (dryRun ? "  would be deleted" : "  deleted")
                + (bytes == 0 ? "" : ", " + Quantity.bytes(bytes)));
    }

    private void requireGood(SavedCheckpoint newest) {
        List<String> problems = new Verification(newest).problems(interruption);
        if (!problems.isEmpty()) {
            throw new CheckpointException(problems.getFirst() + "; nothing was deleted: remove " + newest.folder()
                    + " first, then the next older one is the newest");
        }
    }
}
