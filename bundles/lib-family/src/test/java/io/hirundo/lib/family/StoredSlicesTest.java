package io.hirundo.lib.family;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredTensor.Part;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.Shape;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class StoredSlicesTest {
    /** Two heads of eight channels. */
    @Test
    void permutesInterleavedHeadsToHalves() {
        assertEquals(
                List.of(0L, 2L, 4L, 6L, 1L, 3L, 5L, 7L, 8L, 10L, 12L, 14L, 9L, 11L, 13L, 15L),
                LongStream.range(0, 16)
                        .mapToObj(row -> StoredSlices.interleaved(row, 8))
                        .toList());
        var holder = new Part("q", Shape.of(16, 3), List.of(0L, 0L), 8);
        var part = new ParameterPart("q", Shape.of(16, 3), List.of(3L, 1L), Shape.of(3, 2));
        Map<Long, List<Long>> rows = new TreeMap<>();
        StoredSlices.forEach(holder, part, (slice, first) -> {
            assertEquals(Shape.of(1, 2), slice.shape());
            rows.put(first, slice.offset());
        });
        assertEquals(Map.of(0L, List.of(6L, 1L), 2L, List.of(1L, 1L), 4L, List.of(3L, 1L)), rows);
    }

    /** Gate and up of expert 2 of a tensor [experts, gate and up, hidden]. */
    @Test
    void findsAParameterInATensorOfMoreDimensions() {
        var up = new Part("experts.2.up", Shape.of(5, 3), List.of(2L, 5L, 0L), 0);
        StoredSlices.forEach(
                up,
                new ParameterPart("experts.2.up", Shape.of(5, 3), List.of(1L, 1L), Shape.of(2, 2)),
                (slice, first) -> {
                    assertEquals(List.of(2L, 6L, 1L), slice.offset());
                    assertEquals(Shape.of(1, 2, 2), slice.shape());
                    assertEquals(0, first);
                });
    }

    @Test
    void rejectsPartsThatAreNotTheTensor() {
        rejects("overlap", Shape.of(4, 3), part("a", 2, 0), part("b", 2, 1));
        rejects("but its parts have 6 elements", Shape.of(4, 3), part("a", 2, 0));
        rejects("but holds b [2, 3] at [3, 0]", Shape.of(4, 3), part("a", 2, 0), part("b", 2, 3));
        rejects("but holds a [2, 3] at [0, 0]", Shape.of(6), part("a", 2, 0));
        assertThrows(IllegalArgumentException.class, () -> new Part("a", Shape.of(6, 3), List.of(0L, 0L), 4));
        var holder = part("a", 2, 0);
        var other = ParameterPart.whole("a", Shape.of(3, 3));
        assertThrows(IllegalArgumentException.class, () -> StoredSlices.forEach(holder, other, (_, _) -> {}));
    }

    private static Part part(String path, long rows, long first) {
        return new Part(path, Shape.of(rows, 3), List.of(first, 0L), 0);
    }

    private static void rejects(String message, Shape shape, Part... parts) {
        var rejection =
                assertThrows(IllegalArgumentException.class, () -> new StoredTensor("t", shape, List.of(parts)));
        assertTrue(rejection.getMessage().contains(message), rejection.getMessage());
    }
}
