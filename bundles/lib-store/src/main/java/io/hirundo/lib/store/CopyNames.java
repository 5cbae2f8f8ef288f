package io.hirundo.lib.store;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Names of a run's entries in a {@link io.hirundo.checkpoint.CheckpointStore}. A copy {@code NAME} has {@code NAME.index}, the
 * text of its {@link CopyIndex}, and {@code NAME.ID}, which contains its files.
 */
public final class CopyNames {
    private static final String INDEX = ".index";

    /** Suffix of entries that are not complete yet. */
    private static final String UNFINISHED = ".tmp";

    private static final Pattern OURS = Pattern.compile(".+\\.([0-9a-f]{8}|index(\\.tmp)?)");

    private CopyNames() {}

    /** Name of a copy's index. */
    public static String index(String name) {
        return name + INDEX;
    }

    /** Name of an index while it is being written. */
    public static String unfinishedIndex(String name) {
        return index(name) + UNFINISHED;
    }

    /** Name of the entry that contains a copy's files. */
    public static String files(String name, CopyIndex index) {
        return name + "." + index.id();
    }

    /** Name of the copy that this index belongs to; empty if the entry is not an index. */
    public static Optional<String> ofIndex(String entry) {
        return entry.endsWith(INDEX)
                ? Optional.of(entry.substring(0, entry.length() - INDEX.length()))
                : Optional.empty();
    }

    /** Whether an entry can belong to a copy. All other entries are foreign. */
    public static boolean isOurs(String entry) {
        return OURS.matcher(entry).matches();
    }

    /**
     * Entries that may be deleted: those no index refers to, left by interrupted attempts or by replaced and deleted copies. If an
     * index is damaged, all entries of its name stay, because it is unknown what it refers to.
     *
     * @param entries all entries
     * @param whole complete copies by name
     */
    public static Set<String> leftovers(Collection<String> entries, Map<String, CopyIndex> whole) {
        var named = new HashSet<String>();
        whole.forEach((name, index) -> named.addAll(List.of(index(name), files(name, index))));
        List<String> damaged = entries.stream()
                .filter(entry -> !named.contains(entry))
                .flatMap(entry -> ofIndex(entry).stream())
                .map(name -> name + ".")
                .toList();
        return entries.stream()
                .filter(entry -> isOurs(entry)
                        && !named.contains(entry)
                        && damaged.stream().noneMatch(entry::startsWith))
                .collect(Collectors.toSet());
    }
}
