package io.hirundo.trainer.internal.copy;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.event.CheckpointEvent.CheckpointFetched;
import io.hirundo.lib.files.Deletion;
import io.hirundo.lib.files.DurableFile;
import io.hirundo.lib.files.RealFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fetches a checkpoint from a store into a run's folder. The checkpoint gets its final name only after it is complete and synced. */
public final class CopyFetch {
    private static final Logger LOG = LoggerFactory.getLogger(CopyFetch.class);

    private final StoreSession session;
    private final Path run;
    private final Path checkpoints;
    private final Words words;

    /**
     * What messages call the fetch.
     *
     * @param option that the user gave
     * @param stepOption that names a step
     * @param withoutStore what to do if nothing can be fetched
     */
    public record Words(String option, String stepOption, String withoutStore) {
        public static final Words RESUME =
                new Words("--resume", "--at", "add --set checkpoint.store=null to continue from what is here");
        public static final Words START = new Words(
                "--start-from", "--start-from", "give --start-from RUN@STEP with a step that is in the run directory");
    }

    /**
     * Prepares a fetch without starting it.
     *
     * @param run the run's folder, on the same file system as its checkpoints
     * @param checkpoints the run's checkpoint folder, below {@code run}
     */
    public CopyFetch(StoreSession session, Path run, Path checkpoints, Words words) {
        this.session = session;
        this.run = run;
        this.checkpoints = checkpoints;
        this.words = words;
    }

    /** That the user canceled it; {@code state}: what became of it. */
    public void warnOfInterruption(String state) {
        LOG.warn("{}: fetching from {} was interrupted{}", words.option(), session.place(), state);
    }

    /**
     * Fetches the newest stored checkpoint if it is newer than every complete checkpoint on the run's storage. In-memory checkpoints do not
     * count, because only their nodes know whether they are readable. An interrupt cancels the fetch; partial files are deleted.
     *
     * @param local the run's checkpoints
     * @param passesOver whether a damaged stored checkpoint is skipped in favor of the next older one
     * @throws CheckpointException if a stored checkpoint is damaged and must not be skipped, or no other checkpoint exists
     * @throws StoreException if the store is unreachable. That is not damage: falling back to an older checkpoint would lose steps for no
     *    reason
     */
    public FetchResult fetch(List<FoundCheckpoint> local, boolean passesOver) {
        return fetch(local, OptionalLong.empty(), passesOver);
    }

    /**
     * As {@link #fetch(List, boolean)}, or fetches one step.
     *
     * @param at the step, which is fetched if it is not complete on the run's storage; empty for the newest
     */
    public FetchResult fetch(List<FoundCheckpoint> local, OptionalLong at, boolean passesOver) {
        long newest = local.stream()
                .filter(found -> found.isWhole() && !found.checkpoint().isInMemory())
                .mapToLong(found -> found.checkpoint().step())
                .filter(step -> at.isEmpty() || step == at.getAsLong())
                .max()
                .orElse(-1);
        var passedOver = new ArrayList<FetchResult.PassedOver>();
        String newestDamage = "";
        List<StoredCheckpoint> copies = session.list();
        requireStep(at, local, copies);
        for (StoredCheckpoint copy : copies) {
            if (copy.step() <= newest) {
                break;
            }
            if (at.isPresent() && copy.step() != at.getAsLong()) {
                continue;
            }
            try {
                return new FetchResult(passedOver, Optional.of(fetch(copy)));
            } catch (StoreException problem) {
                throw new StoreException(
                        cannotFetch(copy, problem) + "; try again, or " + words.withoutStore(), problem);
            } catch (CheckpointException problem) {
                if (!passesOver) {
                    throw new CheckpointException(
                            cannotFetch(copy, problem)
                                    + "; add --set checkpoint.onDamage=previous to take the next older one, or "
                                    + words.withoutStore(),
                            problem);
                }
                // Logged immediately, because a later failure would hide it.
                LOG.error("{}; it is skipped", cannotFetch(copy, problem));
                newestDamage =
                        newestDamage.isEmpty() ? "step " + copy.step() + ": " + problem.getMessage() : newestDamage;
                passedOver.add(new FetchResult.PassedOver(
                        checkpoints.resolve(copy.name()),
                        "its copy in " + session.place() + ": " + problem.getMessage()));
            }
        }
        if (!passedOver.isEmpty() && local.stream().noneMatch(FoundCheckpoint::isWhole)) {
            throw new CheckpointException(words.option() + ": no copy in " + session.place()
                    + " can be fetched, and there is no good checkpoint here; " + newestDamage
                    + "; start a new run under another run.name, or remove the folder of this one first");
        }
        return new FetchResult(passedOver, Optional.empty());
    }

    private void requireStep(OptionalLong at, List<FoundCheckpoint> local, List<StoredCheckpoint> copies) {
        if (at.isEmpty()) {
            return;
        }
        List<Long> steps = Stream.concat(
                        local.stream().map(found -> found.checkpoint().step()),
                        copies.stream().map(StoredCheckpoint::step))
                .distinct()
                .sorted(Comparator.reverseOrder())
                .toList();
        if (!steps.contains(at.getAsLong())) {
            String allowed = steps.isEmpty()
                    ? "none is there"
                    : steps.stream().map(String::valueOf).collect(Collectors.joining(", "));
            throw new ConfigurationException(words.stepOption() + ": there is no checkpoint of step " + at.getAsLong()
                    + " in " + checkpoints + " or " + session.place() + " (allowed: " + allowed + ")");
        }
    }

    private String cannotFetch(StoredCheckpoint copy, HirundoException problem) {
        return words.option() + ": step " + copy.step() + " cannot be fetched from " + session.place() + ": "
                + problem.getMessage();
    }

    private CheckpointFetched fetch(StoredCheckpoint copy) {
        LOG.warn(
                "{}: fetching step {}, {} bytes, from {}: it is not in the run directory",
                words.option(),
                copy.step(),
                copy.bytes(),
                session.place());
        long begin = System.nanoTime();
        Path unfinished = run.resolve("fetching");
        Path target = checkpoints.resolve(copy.name());
        try {
            Deletion.delete(unfinished);
            Path folder = Files.createDirectories(unfinished.resolve(copy.name()));
            session.get(copy, folder, done -> {});
            moveAside(target);
            Files.createDirectories(checkpoints);
            Files.move(folder, target, StandardCopyOption.ATOMIC_MOVE);
            DurableFile.syncNames(checkpoints);
            DurableFile.syncNames(run);
        } catch (IOException e) {
            throw new StorageException(
                    "cannot write to " + run + ": " + Reason.of(e) + "; make room or fix its permissions", e);
        } finally {
            // Also after a failure: the space is needed, and the next attempt fetches everything again.
            HeldFolder.removeAll(unfinished);
        }
        return new CheckpointFetched(copy.step(), target, session.place(), copy.bytes(), System.nanoTime() - begin);
    }

    /** Moves a damaged checkpoint of the same name to a folder where users can examine it. */
    private void moveAside(Path target) throws IOException {
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            Path aside = run.resolve("damaged");
            if (Files.notExists(aside, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(aside);
            }
            // A planted link would redirect the deletion.
            RealFolders.require(aside);
            Deletion.delete(aside.resolve(target.getFileName()));
            Files.move(target, aside.resolve(target.getFileName()), StandardCopyOption.ATOMIC_MOVE);
            LOG.warn("{} is damaged; moved it to {}", target, aside);
        }
    }
}
