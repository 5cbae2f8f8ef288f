package io.hirundo.checkpointhf.internal.safetensors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RectangleTest {
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
      new Rectangle(Shape.of(whole), offset, pieceShape)
          .forEachRun(
              (from, to, elements) -> {
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
    new Rectangle(Shape.of(6, 5, 4), List.of(2L, 0L, 0L), Shape.of(3, 5, 4))
        .forEachRun((from, to, elements) -> runs.add(List.of(from, to, elements)));
    assertEquals(List.of(List.of(40L, 0L, 60L)), runs);
  }

  @Test
  void rejectsAPieceOutsideOfTheTensor() {
    Shape whole = Shape.of(4, 4);
    assertThrows(IllegalArgumentException.class, () -> new Rectangle(whole, List.of(0L, 2L), Shape.of(4, 3)));
    assertThrows(IllegalArgumentException.class, () -> new Rectangle(whole, List.of(-1L, 0L), Shape.of(4, 3)));
    assertThrows(IllegalArgumentException.class, () -> new Rectangle(whole, List.of(0L), Shape.of(4, 3)));
  }
}
