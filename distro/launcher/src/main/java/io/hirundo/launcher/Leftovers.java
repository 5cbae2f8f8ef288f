package io.hirundo.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Folders that killed processes left beside that of this one, removed while the command runs. Only what is certainly such a
 * folder is touched: a folder, not a link, of this user alone, whose locked file nobody holds any more.
 */
final class Leftovers {
  /** Longer than any {@link Storage#host()}. */
  private static final int HOST_BYTES = 1024;

  private static final Duration NEVER_WRITTEN_AFTER = Duration.ofHours(1);

  private final Path own;
  private final String host;

  private Leftovers(Path own) throws IOException {
    this.own = own;
    this.host = Storage.host();
  }

  /** Looks on a thread of its own, which ends with the process at the latest: the next start continues. */
  static void removeBeside(Path own) {
    Thread thread = new Thread(
        () -> {
          try {
            new Leftovers(own).remove();
          } catch (IOException e) {
            System.err.println("hirundo: could not remove what killed processes left in " + own.getParent() + ": " + e);
          }
        },
        "hirundo-leftovers");
    thread.setDaemon(true);
    thread.setPriority(Thread.MIN_PRIORITY);
    thread.start();
  }

  /** One folder that cannot be removed keeps no other from being removed. */
  private void remove() throws IOException {
    List<String> failures = new ArrayList<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(own.getParent(), Storage.PREFIX + "*")) {
      for (Path folder : folders) {
        // To open the locked file of this process once more, and close it, would free the lock.
        if (!folder.equals(own)) {
          try {
            removeIfLeft(folder);
          } catch (IOException e) {
            failures.add(folder + " (" + e + ")");
          }
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    if (!failures.isEmpty()) {
      String more = failures.size() == 1 ? "" : " and " + (failures.size() - 1) + " more folders";
      System.err.println("hirundo: could not remove what killed processes left: " + failures.getFirst() + more + "; remove it by hand");
    }
  }

  private void removeIfLeft(Path folder) throws IOException {
    try {
      if (!Storage.isOwn(folder)) {
        return;
      }
      Path lock = folder.resolve(Storage.LOCK);
      if (!Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)) {
        // Killed before it had one, or about to make one: that process makes another folder then. One that holds anything stays.
        Files.delete(folder);
        return;
      }
      try (FileChannel channel =
              FileChannel.open(lock, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
        if (isFree(channel)) {
          if (isOfThisHost(channel)) {
            Deletion.ofProcessFolder(folder);
          } else if (wasNeverWritten(channel, lock)) {
            Files.delete(lock);
            // One that holds anything else stays.
            Files.delete(folder);
          }
        }
      }
    } catch (NoSuchFileException | DirectoryNotEmptyException goneOrNotOurs) {
      // Another start removes it at this moment, or it is something else.
    }
  }

  private static boolean isFree(FileChannel channel) {
    try {
      // Held until the channel is closed, when the folder is gone.
      return channel.tryLock() != null;
    } catch (IOException noLocksOnThisFileSystem) {
      return false;
    }
  }

  /** Whether its process was killed before it wrote its host, on whichever machine: that takes a moment, not an hour. */
  private static boolean wasNeverWritten(FileChannel channel, Path lock) throws IOException {
    Instant made = Files.getLastModifiedTime(lock, LinkOption.NOFOLLOW_LINKS).toInstant();
    return channel.size() == 0 && made.isBefore(Instant.now().minus(NEVER_WRITTEN_AFTER));
  }

  private boolean isOfThisHost(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(HOST_BYTES);
    channel.read(bytes, 0);
    String holder = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    List<String> its = holder.lines().toList();
    List<String> ours = host.lines().toList();
    return its.size() == ours.size()
        && (its.getFirst().equals(ours.getFirst()) || its.getLast().equals(ours.getLast()));
  }
}
