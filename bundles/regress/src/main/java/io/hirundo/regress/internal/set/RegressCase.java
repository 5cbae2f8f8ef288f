package io.hirundo.regress.internal.set;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One training of a set.
 *
 * @param name unique in the set
 * @param configuration file that the case begins with
 * @param assignments {@code PATH=VALUE} each, put over it
 * @param comparedWith a case of the set that must give the same
 */
public record RegressCase(String name, Path configuration, List<String> assignments, Optional<Peer> comparedWith) {
  public RegressCase {
    assignments = List.copyOf(assignments);
  }

  /**
   * Another case.
   *
   * @param name of the case
   * @param bitwise whether every bit must be the same; otherwise differences within the noise of rounding are allowed
   */
  public record Peer(String name, boolean bitwise) {}
}
