package io.hirundo.mesh;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The arrangement of ranks.
 *
 * @param sizes ranks along each axis, the axis that varies fastest first; axes left out have size 1
 */
public record Mesh(SequencedMap<Axis, Integer> sizes) {
  /** One rank. */
  public static final Mesh ALONE = new Mesh(new LinkedHashMap<>());

  public Mesh {
    sizes = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(sizes));
    sizes.forEach(
        (axis, size) -> {
          if (size < 1) {
            throw new IllegalArgumentException("axis " + axis + " of size " + size);
          }
        });
  }

  public int size(Axis axis) {
    return sizes.getOrDefault(axis, 1);
  }

  /** Number of ranks. */
  public int ranks() {
    return sizes.values().stream().reduce(1, Math::multiplyExact);
  }

  /** Where a rank lies on an axis. */
  public int coordinate(int rank, Axis axis) {
    int stride = 1;
    for (var entry : sizes.entrySet()) {
      if (entry.getKey() == axis) {
        return rank / stride % entry.getValue();
      }
      stride *= entry.getValue();
    }
    return 0;
  }

  /** The ranks that differ from this one along the given axes only, this one included, in ascending order. */
  public List<Integer> ranksAlong(int rank, Set<Axis> along) {
    return IntStream.range(0, ranks())
        .filter(
            other ->
                Arrays.stream(Axis.values())
                    .filter(axis -> !along.contains(axis))
                    .allMatch(axis -> coordinate(other, axis) == coordinate(rank, axis)))
        .boxed()
        .toList();
  }
}
