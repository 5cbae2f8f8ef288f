package io.hirundo.checkpointdcp.internal.format;

import java.nio.file.Path;
import java.util.regex.Pattern;

/** The form of a data file's path in the memory of a node: {@code .../hirundo-RUN-HASH/rank-RANK/SAVE/FILE}. */
public final class NodeMemoryPath {
    /** Folders above a file: of the save, of the rank, and the run's own. */
    public static final int FOLDERS = 3;

    private static final Pattern RUN = Pattern.compile("hirundo-.*-[0-9a-f]{8}");
    private static final Pattern RANK = Pattern.compile("rank-\\d{5,10}");

    private NodeMemoryPath() {}

    /**
     * Whether a path has this form, for whatever run and rank. Manifests list such paths, and files at them are deleted and replaced:
     * whoever writes a manifest must not choose which.
     *
     * @param id of the save
     * @param name of the file
     */
    static boolean isFile(Path path, String id, String name) {
        int names = path.getNameCount();
        return path.isAbsolute()
                && path.equals(path.normalize())
                && names > FOLDERS + 1
                && path.endsWith(name)
                && path.getName(names - 2).toString().equals(id)
                && RANK.matcher(path.getName(names - 3).toString()).matches()
                && RUN.matcher(path.getName(names - 4).toString()).matches();
    }
}
