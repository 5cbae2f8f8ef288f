package io.hirundo.checkpoint.support;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What things are called at a run's place in a {@link io.hirundo.checkpoint.CheckpointStore}: of a copy {@code NAME} there is {@code
 * NAME.index}, the text of its {@link CopyIndex}, and {@code NAME.ID} with its files.
 */
public final class CopyNames {
  private static final String INDEX = ".index";

  /** What is being written goes by the name of what it will be, and this. */
  private static final String UNFINISHED = ".tmp";

  private static final Pattern OURS = Pattern.compile(".+\\.([0-9a-f]{8}|index(\\.tmp)?)");

  private CopyNames() {}

  /** Of the index of a copy. */
  public static String index(String name) {
    return name + INDEX;
  }

  /** Of an index that is being written. */
  public static String unfinishedIndex(String name) {
    return index(name) + UNFINISHED;
  }

  /** Of what holds the files of a copy. */
  public static String files(String name, CopyIndex index) {
    return name + "." + index.id();
  }

  /** The copy that an index of this name is of; empty for another entry. */
  public static Optional<String> ofIndex(String entry) {
    return entry.endsWith(INDEX) ? Optional.of(entry.substring(0, entry.length() - INDEX.length())) : Optional.empty();
  }

  /** Whether an entry can be of a copy; all else at a run's place is somebody else's. */
  public static boolean isOurs(String entry) {
    return OURS.matcher(entry).matches();
  }

  /**
   * What may be deleted: entries of our own that no index speaks of, left by attempts that were cut off and by copies that were replaced
   * or deleted. Where an index is damaged nobody knows what it speaks of, so that all of its name stays.
   *
   * @param entries all that there are
   * @param whole copies that are, by their names
   */
  public static Set<String> leftovers(Collection<String> entries, Map<String, CopyIndex> whole) {
    var named = new HashSet<String>();
    whole.forEach((name, index) -> named.addAll(List.of(index(name), files(name, index))));
    List<String> damaged =
        entries.stream()
            .filter(entry -> !named.contains(entry))
            .flatMap(entry -> ofIndex(entry).stream())
            .map(name -> name + ".")
            .toList();
    return entries.stream()
        .filter(entry -> isOurs(entry) && !named.contains(entry) && damaged.stream().noneMatch(entry::startsWith))
        .collect(Collectors.toSet());
  }
}
