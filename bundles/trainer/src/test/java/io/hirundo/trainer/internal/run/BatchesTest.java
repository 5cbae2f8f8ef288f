package io.hirundo.trainer.internal.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.data.SampleSet;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BatchesTest {
  /** Sample k holds the tokens k, k + 1, ... */
  private record Rising(int vocabularyBound) implements SampleSet {
    @Override
    public long count(Split split) {
      return 100;
    }

    @Override
    public void read(Split split, long index, int[] into) {
      Arrays.setAll(into, i -> (int) index + i);
    }

    @Override
    public String describe() {
      return "rising";
    }

    @Override
    public void close() {}
  }

  @Test
  void batchesComeInTheOrderOfTheRunFromWhereverItBegins() {
    var reader = new BatchReader(new Rising(0), 3, 1000);
    try (var batches = new BatchPrefetcher(reader, 2, 10, 14)) {
      assertEquals(10, batches.next().firstSample());
      HostBatch second = batches.next();
      assertEquals(12, second.firstSample());
      assertArrayEquals(new int[] {13, 14, 15, 16}, second.rows().get(1));
      assertEquals(6, second.labels());
    }
  }

  @Test
  void nothingIsReadPastTheEnd() {
    try (var batches = new BatchPrefetcher(new BatchReader(new Rising(0), 3, 1000), 2, 0, 2)) {
      batches.next();
      assertThrows(IllegalStateException.class, batches::next);
    }
  }

  @Test
  void aTokenOutsideTheVocabularyIsNamed() {
    try (var batches = new BatchPrefetcher(new BatchReader(new Rising(0), 3, 12), 2, 10, 14)) {
      var refusal = assertThrows(DataException.class, batches::next);
      assertTrue(refusal.getMessage().contains("token 12"), refusal.getMessage());
    }
  }

  @Test
  void dataOfALargerVocabularyIsRefusedAtOnce() {
    var refusal = assertThrows(DataException.class, () -> new BatchReader(new Rising(500), 3, 499));
    assertTrue(refusal.getMessage().contains("500"), refusal.getMessage());
  }
}
