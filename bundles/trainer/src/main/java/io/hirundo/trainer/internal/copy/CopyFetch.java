package io.hirundo.trainer.internal.copy;

import io.hirundo.CheckpointException;
import io.hirundo.HirundoException;
import io.hirundo.StorageException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.checkpoint.support.Folders;
import io.hirundo.event.TrainingEvent.CheckpointFetched;
import io.hirundo.lib.files.Deletion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes a checkpoint from a store into a run's folder. It has its name there when it is whole and synced, and not before. */
public final class CopyFetch {
  private static final Logger LOG = LoggerFactory.getLogger(CopyFetch.class);

  private final StoreSession session;
  private final Path run;
  private final Path checkpoints;

  /**
   * Fetches nothing yet.
   *
   * @param run its folder, on the file system of its checkpoints
   * @param checkpoints a folder in it
   */
  public CopyFetch(StoreSession session, Path run, Path checkpoints) {
    this.session = session;
    this.run = run;
    this.checkpoints = checkpoints;
  }

  /**
   * Fetches the newest copy where the run has no whole checkpoint on storage that is as new: whether those in memory
   * can still be read, only their nodes know. An interrupt ends it soon; nothing half fetched stays.
   *
   * @param local what the run has
   * @param passesOver whether the next older copy is taken where one is damaged
   * @throws CheckpointException where one is damaged and must not be passed over, or there is nothing else
   * @throws StoreException where the store cannot be reached, which is no damage: an older copy would cost steps for nothing
   */
  public FetchResult fetch(List<FoundCheckpoint> local, boolean passesOver) {
    long newest =
        local.stream()
            .filter(found -> found.isWhole() && !found.checkpoint().isInMemory())
            .mapToLong(found -> found.checkpoint().step())
            .max()
            .orElse(-1);
    var passedOver = new ArrayList<FetchResult.PassedOver>();
    String newestDamage = "";
    for (StoredCheckpoint copy : session.list()) {
      if (copy.step() <= newest) {
        break;
      }
      try {
        return new FetchResult(passedOver, Optional.of(fetch(copy)));
      } catch (StoreException problem) {
        throw new StoreException(
            cannotFetch(copy, problem) + "; try again, or add --set checkpoint.store=null to go on from what is here", problem);
      } catch (CheckpointException problem) {
        if (!passesOver) {
          throw new CheckpointException(
              cannotFetch(copy, problem)
                  + "; add --set checkpoint.onDamage=previous to take the next older one, or --set checkpoint.store=null to go on"
                  + " from what is here",
              problem);
        }
        // At once: what comes next may fail too, and would be all that is said.
        LOG.error("{}; it is passed over", cannotFetch(copy, problem));
        newestDamage = newestDamage.isEmpty() ? "step " + copy.step() + ": " + problem.getMessage() : newestDamage;
        passedOver.add(
            new FetchResult.PassedOver(
                checkpoints.resolve(copy.name()), "its copy in " + session.place() + ": " + problem.getMessage()));
      }
    }
    if (!passedOver.isEmpty() && local.stream().noneMatch(FoundCheckpoint::isWhole)) {
      throw new CheckpointException(
          "--resume: no copy in " + session.place() + " can be fetched, and there is no good checkpoint here; "
              + newestDamage + "; start the run anew under another run.name, or remove the folder of this one first");
    }
    return new FetchResult(passedOver, Optional.empty());
  }

  private String cannotFetch(StoredCheckpoint copy, HirundoException problem) {
    return "--resume: step " + copy.step() + " cannot be fetched from " + session.place() + ": " + problem.getMessage();
  }

  private CheckpointFetched fetch(StoredCheckpoint copy) {
    LOG.warn("--resume: fetching step {}, {} bytes, from {}: no checkpoint here is as new", copy.step(), copy.bytes(), session.place());
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
      Folders.syncNames(checkpoints);
      Folders.syncNames(run);
    } catch (IOException e) {
      throw new StorageException("cannot write to " + run + ": " + e + "; make room or fix its permissions", e);
    } finally {
      // Also where it failed: the room is wanted, and the next attempt fetches all of it.
      HeldFolder.removeAll(unfinished);
    }
    return new CheckpointFetched(copy.step(), target, session.place(), copy.bytes(), System.nanoTime() - begin);
  }

  /** A damaged checkpoint of the same name is kept for who wants to look at it. */
  private void moveAside(Path target) throws IOException {
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      Path aside = run.resolve("damaged");
      Deletion.delete(aside.resolve(target.getFileName()));
      Files.createDirectories(aside);
      Files.move(target, aside.resolve(target.getFileName()), StandardCopyOption.ATOMIC_MOVE);
      LOG.warn("{} is damaged, and lies in {} from now on", target, aside);
    }
  }
}
