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

/** Simulates for one rank the rank with the other shard of a weight. A first pass, without the other, only records calls. */
final class Sharer implements WeightSharers {
    /** One call: which preparation of the weight, from 1, and the number of amaxes. */
    record Question(int preparation, int magnitudes) {}

    private final Bench bench;
    private final Sharer other;
    private final List<Question> questions = new ArrayList<>();
    private final List<double[]> ownAmaxes = new ArrayList<>();
    private int preparations;
    private boolean preparing;

    /** {@code other}: has recorded its calls; null in the first pass. */
    Sharer(Bench bench, Sharer other) {
        this.bench = bench;
        this.other = other;
    }

    /** The recorded calls, in order. */
    List<Question> questions() {
        return List.copyOf(questions);
    }

    /** Prepares a weight; only meanwhile may {@code agree} be called. */
    void whilePreparing(Runnable prepare) {
        preparations++;
        preparing = true;
        prepare.run();
        preparing = false;
    }

    @Override
    public void agree(Queue queue, Tensor magnitudes) {
        assertTrue(preparing, "agree() was called while no weight was prepared");
        assertEquals(DType.FP32, magnitudes.dtype(), "dtype of magnitudes");
        double[] own = bench.read(magnitudes);
        var question = new Question(preparations, own.length);
        questions.add(question);
        ownAmaxes.add(own);
        if (other != null) {
            int time = questions.size() - 1;
            assertTrue(
                    time < other.questions.size(),
                    () -> "agree() was called more often than for the other shard: " + questions);
            assertEquals(other.questions.get(time), question, "the other shard's call at the same position");
            bench.write(magnitudes, i -> Math.max(own[(int) i], other.ownAmaxes.get(time)[(int) i]));
        }
    }
}
