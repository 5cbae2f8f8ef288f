package io.hirundo.modelllama.internal;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.LinkedHashSet;
import java.util.Set;

/** A scalar tensor; use after close and double close fail. */
final class ScalarTensor implements Tensor {
    /** All open tensors of one test, and the peak number of elements. */
    static final class Ledger {
        private final Set<ScalarTensor> open = new LinkedHashSet<>();
        private long liveElements;
        private long peakElements;

        ScalarTensor allocate(String name, long elements, double value) {
            var tensor = new ScalarTensor(this, name, elements, value);
            open.add(tensor);
            liveElements += elements;
            peakElements = Math.max(peakElements, liveElements);
            return tensor;
        }

        Set<ScalarTensor> open() {
            return open;
        }

        long liveElements() {
            return liveElements;
        }

        long peakElements() {
            return peakElements;
        }

        void resetPeak() {
            peakElements = liveElements;
        }
    }

    private final Ledger ledger;
    private final String name;
    private final long elements;
    private double value;

    private ScalarTensor(Ledger ledger, String name, long elements, double value) {
        this.ledger = ledger;
        this.name = name;
        this.elements = elements;
        this.value = value;
    }

    static double value(Tensor tensor) {
        return ((ScalarTensor) tensor).value();
    }

    double value() {
        requireOpen();
        return value;
    }

    void add(double delta) {
        requireOpen();
        value += delta;
    }

    private void requireOpen() {
        if (!ledger.open.contains(this)) {
            throw new AssertionError(name + " is used after it was closed");
        }
    }

    /** The shape that this scalar stands for. */
    @Override
    public Shape shape() {
        return Shape.of(elements);
    }

    @Override
    public DType dtype() {
        return DType.FP64;
    }

    @Override
    public Tensor view(long elementOffset, Shape window) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        if (!ledger.open.remove(this)) {
            throw new AssertionError(name + " is closed twice");
        }
        ledger.liveElements -= elements;
    }

    @Override
    public String toString() {
        return name;
    }
}
