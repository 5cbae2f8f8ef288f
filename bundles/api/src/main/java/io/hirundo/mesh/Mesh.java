package io.hirundo.mesh;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The mesh of ranks.
 *
 * @param sizes ranks along each axis, the fastest-varying axis first; missing axes have size 1
 */
public record Mesh(SequencedMap<Axis, Integer> sizes) {
    /** A single rank. */
    public static final Mesh ALONE = new Mesh(new LinkedHashMap<>());

    public Mesh {
        sizes = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(sizes));
        sizes.forEach((axis, size) -> {
            if (size < 1) {
                throw new IllegalArgumentException(
                        "axis " + axis + ": size " + size + " is wrong (allowed: 1 or more)");
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

    /** A rank's coordinate on an axis. */
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

    /** The ranks whose coordinates differ from this rank's along the given axes only, including this rank, ascending. */
    public List<Integer> ranksAlong(int rank, Set<Axis> along) {
        // By strides: a search through all ranks would take a plan of 16,384 ranks minutes.
        List<Integer> found = List.of(0);
        int stride = 1;
        for (var entry : sizes.entrySet()) {
            int first = rank / stride % entry.getValue();
            int[] coordinates = along.contains(entry.getKey())
                    ? IntStream.range(0, entry.getValue()).toArray()
                    : new int[] {first};
            var further = new ArrayList<Integer>(found.size() * coordinates.length);
            for (int coordinate : coordinates) {
                for (int before : found) {
                    further.add(before + coordinate * stride);
                }
            }
            found = further;
            stride *= entry.getValue();
        }
        return List.copyOf(found);
    }
}
