package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who can replace a file or a folder. Code is loaded from it, so it and all folders above it must belong to root or this user, and those
 * folders that others may write to must be sticky, as {@code sshd} wants it of the path to its keys (StrictModes). On a system other than
 * Linux only modes count.
 */
final class TrustedPath {
    private static final int WRITABLE_BY_GROUP = 0020;
    private static final int WRITABLE_BY_ALL = 0002;
    private static final int STICKY = 01000;
    private static final int FOLDER = 0040000;
    private static final int TYPE_MASK = 0170000;
    private static final int ROOT = 0;
    private static final int MOST_LINKS = 40;
    private static final Path MAPPED_USERS = Path.of("/proc/self/uid_map");

    private TrustedPath() {}

    /**
     * Why a path cannot be trusted.
     *
     * @param place the path, or a folder above it
     * @param owner name or number of another user to whom it belongs; null if it is writable for others
     */
    record Distrust(Path place, String owner) {
        boolean isWritable() {
            return owner == null;
        }
    }

    /**
     * The first reason along the path to a file or folder, and along the paths of all links to it.
     *
     * @param allowsOwnGroup whether a group that has this user alone may write: its members are no others
     */
    static Optional<Distrust> distrust(Path path, boolean allowsOwnGroup) throws IOException {
        Path each = path.toAbsolutePath();
        for (int links = 0; links < MOST_LINKS; links++) {
            Path real = each.getParent() == null
                    ? each
                    : each.getParent().toRealPath().resolve(each.getFileName());
            Optional<Distrust> found = ofReal(real, allowsOwnGroup);
            if (found.isPresent() || !Files.isSymbolicLink(real)) {
                return found;
            }
            each = real.resolveSibling(Files.readSymbolicLink(real));
        }
        throw new IOException(path + ": more than " + MOST_LINKS + " links");
    }

    /** Of a path whose parent has no links. One that is found now has been put there since, and what it points to proves nothing. */
    static Optional<Distrust> ofReal(Path real, boolean allowsOwnGroup) throws IOException {
        for (Path each = real; each != null; each = each.getParent()) {
            Map<String, Object> found = Files.readAttributes(each, "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS);
            int mode = (Integer) found.get("mode");
            int owner = (Integer) found.get("uid");
            if (owner != ROOT && !isOwner(owner) && (each.equals(real) || !isUnmapped(owner))) {
                return Optional.of(new Distrust(
                        each, String.valueOf(Files.getAttribute(each, "owner:owner", LinkOption.NOFOLLOW_LINKS))));
            }
            boolean isProtected = (mode & TYPE_MASK) == FOLDER && (mode & STICKY) != 0 || Files.isSymbolicLink(each);
            boolean byGroup = (mode & WRITABLE_BY_GROUP) != 0
                    && !(allowsOwnGroup && isOwnGroup((Integer) found.get("gid"), owner));
            if ((byGroup || (mode & WRITABLE_BY_ALL) != 0) && !isProtected) {
                return Optional.of(new Distrust(each, null));
            }
        }
        return Optional.empty();
    }

    static boolean isOwner(int uid) throws IOException {
        Path self = Path.of("/proc/self");
        // Other systems than Linux: check the mode alone. A folder that only its owner enters is useless to another
        // user.
        return !Files.exists(self) || uid == (Integer) Files.getAttribute(self, "unix:uid");
    }

    /** Whether the group is the one that many systems create for each user, with a umask of 002. */
    private static boolean isOwnGroup(int gid, int owner) throws IOException {
        Path groups = Path.of("/etc/group");
        return gid == owner
                && Files.isReadable(groups)
                && Files.readAllLines(groups).stream()
                        .map(line -> line.split(":", -1))
                        .filter(fields -> fields.length >= 4 && fields[2].equals(String.valueOf(gid)))
                        .allMatch(fields -> fields[3].isEmpty() || fields[3].equals(fields[0]));
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
                .anyMatch(range ->
                        uid >= Long.parseLong(range[0]) && uid < Long.parseLong(range[0]) + Long.parseLong(range[2]));
    }
}
