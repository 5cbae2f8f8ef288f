package io.hirundo.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ShapeTest {
    @Test
    void rowsMultiplyAllButInnermostDimension() {
        assertEquals(6, Shape.of(2, 3, 5).rows());
        assertEquals(1, Shape.of(5).rows());
        assertEquals(1, Shape.of().rows());
    }

    @Test
    void countsEmptyRows() {
        assertEquals(3, Shape.of(3, 0).rows());
        assertEquals(0, Shape.of(0, 3).rows());
        assertEquals(0, Shape.of(3, 0).elements());
    }

    @Test
    void negativeIndexCountsFromInnermost() {
        assertEquals(5, Shape.of(2, 3, 5).dim(-1));
        assertEquals(2, Shape.of(2, 3, 5).dim(-3));
        assertEquals("[2, 3, 5]", Shape.of(2, 3, 5).toString());
    }

    @Test
    void rejectsNegativeAndOverflowingShapes() {
        assertThrows(IllegalArgumentException.class, () -> Shape.of(2, -1));
        assertThrows(
                ArithmeticException.class, () -> Shape.of(Long.MAX_VALUE, 2).elements());
    }
}
