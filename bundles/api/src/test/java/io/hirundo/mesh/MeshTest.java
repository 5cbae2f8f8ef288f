package io.hirundo.mesh;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MeshTest {
    /** Axes in another order than they are declared; one has size 1, one is missing. */
    private static Mesh mesh() {
        var sizes = new LinkedHashMap<Axis, Integer>();
        sizes.put(Axis.DATA, 3);
        sizes.put(Axis.TENSOR, 2);
        sizes.put(Axis.CONTEXT, 1);
        return new Mesh(sizes);
    }

    @Test
    void findsRanksWhoseOtherCoordinatesAreEqual() {
        for (int rank = 0; rank < mesh().ranks(); rank++) {
            for (Set<Axis> along : List.of(
                    EnumSet.noneOf(Axis.class),
                    EnumSet.of(Axis.DATA),
                    EnumSet.of(Axis.TENSOR),
                    EnumSet.of(Axis.PIPELINE, Axis.CONTEXT),
                    EnumSet.allOf(Axis.class))) {
                var others = EnumSet.complementOf(EnumSet.copyOf(along));
                int here = rank;
                List<Integer> expected = IntStream.range(0, mesh().ranks())
                        .filter(other -> others.stream()
                                .allMatch(axis -> mesh().coordinate(other, axis) == mesh().coordinate(here, axis)))
                        .boxed()
                        .toList();
                assertEquals(expected, mesh().ranksAlong(rank, along), rank + " along " + along);
            }
        }
    }
}
