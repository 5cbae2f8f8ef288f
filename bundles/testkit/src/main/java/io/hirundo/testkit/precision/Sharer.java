package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Queue;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.ArrayList;
import java.util.List;

/** What one rank hears of another that has the other part of a weight; at first nothing, while it is found out what it asks. */
final class Sharer implements WeightSharers {
  /** One call, in which preparation of the weight, from 1, and for how many magnitudes. */
  record Question(int preparation, int magnitudes) {}

  private final Bench bench;
  private final Sharer other;
  private final List<Question> questions = new ArrayList<>();
  private final List<double[]> told = new ArrayList<>();
  private int preparations;
  private boolean preparing;

  /** {@code other}: has been asked what it has to say; null where that is not known yet. */
  Sharer(Bench bench, Sharer other) {
    this.bench = bench;
    this.other = other;
  }

  /** What was asked, in this order. */
  List<Question> questions() {
    return List.copyOf(questions);
  }

  /** Prepares a weight, the only time at which anybody may be asked. */
  void whilePreparing(Runnable prepare) {
    preparations++;
    preparing = true;
    prepare.run();
    preparing = false;
  }

  @Override
  public void agree(Queue queue, Tensor magnitudes) {
    assertTrue(preparing, "asked for magnitudes while no weight was prepared");
    assertEquals(DType.FP32, magnitudes.dtype(), "type of magnitudes");
    double[] own = bench.read(magnitudes);
    var question = new Question(preparations, own.length);
    questions.add(question);
    told.add(own);
    if (other != null) {
      int time = questions.size() - 1;
      assertTrue(time < other.questions.size(), () -> "asked more often than the other part: " + questions);
      assertEquals(other.questions.get(time), question, "the other part's question at the same place");
      bench.write(magnitudes, i -> Math.max(own[(int) i], other.told.get(time)[(int) i]));
    }
  }
}
