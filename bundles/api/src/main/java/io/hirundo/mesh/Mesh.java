package io.hirundo.mesh;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

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
}
