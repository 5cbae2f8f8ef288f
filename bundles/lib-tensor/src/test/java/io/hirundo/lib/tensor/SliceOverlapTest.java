package io.hirundo.lib.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SliceOverlapTest {
    @Test
    void runsCoverThePieceElementByElement() {
        var random = new Random(5);
        for (int round = 0; round < 300; round++) {
            int rank = random.nextInt(5);
            var whole = new long[rank];
            var piece = new long[rank];
            var offset = new ArrayList<Long>();
            for (int dim = 0; dim < rank; dim++) {
                whole[dim] = 1 + random.nextInt(4);
                piece[dim] = random.nextInt(8) == 0 ? 0 : 1 + random.nextLong(whole[dim]);
                offset.add(random.nextLong(whole[dim] - piece[dim] + 1));
            }
            Shape pieceShape = Shape.of(piece);
            var taken = new long[(int) pieceShape.elements()];
            new TensorSlice(offset, pieceShape).forEachRunIn(Shape.of(whole), (from, to, elements) -> {
                for (int i = 0; i < elements; i++) {
                    taken[(int) to + i] = from + i;
                }
            });
            assertArrayEquals(oneByOne(whole, offset, piece), taken);
        }
    }

    private static long[] oneByOne(long[] whole, List<Long> offset, long[] piece) {
        var elements = new long[(int) Shape.of(piece).elements()];
        for (int element = 0; element < elements.length; element++) {
            long left = element;
            long stride = 1;
            for (int dim = whole.length - 1; dim >= 0; dim--) {
                elements[element] += (offset.get(dim) + left % piece[dim]) * stride;
                left /= piece[dim];
                stride *= whole[dim];
            }
        }
        return elements;
    }

    @Test
    void wholeRowsAreOneRun() {
        var runs = new ArrayList<List<Long>>();
        new TensorSlice(List.of(2L, 0L, 0L), Shape.of(3, 5, 4))
                .forEachRunIn(Shape.of(6, 5, 4), (from, to, elements) -> runs.add(List.of(from, to, elements)));
        assertEquals(List.of(List.of(40L, 0L, 60L)), runs);
    }

    @Test
    void slicesFitOnlyInsideTheTensor() {
        Shape whole = Shape.of(4, 4);
        assertTrue(new TensorSlice(List.of(0L, 1L), Shape.of(4, 3)).fits(whole));
        assertFalse(new TensorSlice(List.of(0L, 2L), Shape.of(4, 3)).fits(whole));
        assertFalse(new TensorSlice(List.of(-1L, 0L), Shape.of(4, 3)).fits(whole));
        assertFalse(new TensorSlice(List.of(0L), Shape.of(4, 3)).fits(whole));
    }

    @Test
    void slicesWithoutACommonElementDoNotOverlap() {
        var left = new TensorSlice(List.of(0L, 0L), Shape.of(4, 2));
        assertEquals(Optional.empty(), SliceOverlap.of(left, new TensorSlice(List.of(0L, 2L), Shape.of(4, 2))));
        assertEquals(Optional.empty(), SliceOverlap.of(left, new TensorSlice(List.of(0L, 0L), Shape.of(4, 0))));
    }
}
