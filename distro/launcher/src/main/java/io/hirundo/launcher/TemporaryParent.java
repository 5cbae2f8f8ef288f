package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The folder for temporary files, and the folders above it. Whoever can rename one of them can put another in its place and so replace
 * the code that runs. Therefore all of them must belong to root or this user, and those that others may write to must be sticky, as
 * {@code sshd} wants it of the path to its keys (StrictModes).
 */
final class TemporaryParent {
  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int STICKY = 01000;
  private static final int ROOT = 0;
  private static final Path MAPPED_USERS = Path.of("/proc/self/uid_map");

  private TemporaryParent() {}

  /**
   * The real path: a link in {@code parent} may point elsewhere a moment later.
   *
   * @throws LaunchException if it is not a folder, or another user can replace it
   */
  static Path require(Path parent) throws LaunchException {
    try {
      Path real = parent.toRealPath();
      if (!Files.isDirectory(real)) {
        throw unusable(parent, "not a folder", null);
      }
      requireTrusted(real);
      return real;
    } catch (IOException e) {
      throw unusable(parent, e.toString(), e);
    }
  }

  static LaunchException unusable(Path parent, String reason, IOException cause) {
    return new LaunchException(
        "the folder for temporary files, " + parent + ", cannot be used (" + reason
            + "); set TMPDIR to a folder that exists, is writable and has room",
        cause);
  }

  private static void requireTrusted(Path real) throws IOException, LaunchException {
    for (Path folder = real; folder != null; folder = folder.getParent()) {
      // A real path has no links. One that is found now has been put there since, and what it points to proves nothing.
      Map<String, Object> found = Files.readAttributes(folder, "unix:mode,uid", LinkOption.NOFOLLOW_LINKS);
      int mode = (Integer) found.get("mode");
      int owner = (Integer) found.get("uid");
      String named = "the folder for temporary files, " + (folder.equals(real) ? real + "," : real + ", is below " + folder + ", which");
      if (owner != ROOT && !isOwner(owner) && (folder.equals(real) || !isUnmapped(owner))) {
        throw new LaunchException(
            named + " belongs to another user, who could replace the code that runs; set TMPDIR to a folder of your own");
      }
      if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0) {
        throw new LaunchException(
            named + " is writable for other users and not sticky: others could replace the code that runs; chmod +t " + folder
                + ", or set TMPDIR to a folder of your own");
      }
    }
  }

  static boolean isOwner(int uid) throws IOException {
    Path self = Path.of("/proc/self");
    // Other systems than Linux: check the mode alone. A folder that only its owner enters is useless to another user.
    return !Files.exists(self) || uid == (Integer) Files.getAttribute(self, "unix:uid");
  }

  /**
   * Whether the user cannot be told from root: a container without privileges maps neither root nor others, and shows all of them with
   * one number that stands for no user in it. There the root folder itself has that owner, and no folder would be left to name.
   */
  private static boolean isUnmapped(int uid) throws IOException {
    return Files.isReadable(MAPPED_USERS) && !isMapped(uid, Files.readAllLines(MAPPED_USERS));
  }

  /** {@code ranges}: first user in the container, first user outside, number of users; see user_namespaces(7). */
  static boolean isMapped(int uid, List<String> ranges) {
    return ranges.stream()
        .map(range -> range.strip().split("\\s+"))
        .anyMatch(range -> uid >= Long.parseLong(range[0]) && uid < Long.parseLong(range[0]) + Long.parseLong(range[2]));
  }
}
