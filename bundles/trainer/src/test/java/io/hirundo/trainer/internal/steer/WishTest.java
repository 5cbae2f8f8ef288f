package io.hirundo.trainer.internal.steer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class WishTest {
  @Test
  void ranksReadWhatWasWished() {
    for (Wish wish :
        List.of(new Wish.Change(List.of("a=1", "", "b={c: d}")), new Wish.Change(List.of()), Wish.Order.SAVE, Wish.Order.STOP)) {
      assertEquals(wish, Wish.parse(wish.line()));
    }
  }

  @Test
  void anAssignmentIsOneLine() {
    assertEquals(List.of("a=1 b=2 c"), new Wish.Change(List.of("a=1\rb=2\r\nc")).assignments());
  }
}
