package io.hirundo.testkit.parallel;

import io.hirundo.device.Event;
import io.hirundo.mesh.Pending;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;

/** A sum over two ranks that have the same gradient; it arrives when it is awaited. */
final class DoubledGradient implements Pending, Event {
    private final Bench bench;
    private final Tensor gradient;
    private boolean ended;

    DoubledGradient(Bench bench, Tensor gradient) {
        this.bench = bench;
        this.gradient = gradient;
    }

    @Override
    public Event event() {
        return this;
    }

    @Override
    public boolean hasHappened() {
        await();
        return true;
    }

    @Override
    public void await() {
        if (!ended) {
            ended = true;
            double[] once = bench.read(gradient);
            bench.write(gradient, i -> 2 * once[(int) i]);
        }
    }
}
