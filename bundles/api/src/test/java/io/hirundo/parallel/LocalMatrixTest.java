package io.hirundo.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.device.Queue;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.PackedOperand;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocalMatrixTest {
    @Test
    void computesInputGradientBeforeWeightGradient() {
        var matrix = new Asked(false);
        matrix.bothGradients(null, new Named("dy"), new Named("x"), new Named("dx"));
        assertEquals(List.of("pair of dy", "input dx", "weight of x", "closed"), matrix.calls);
    }

    @Test
    void closesGradientPairWhenGemmFails() {
        var matrix = new Asked(true);
        assertThrows(
                IllegalStateException.class,
                () -> matrix.bothGradients(null, new Named("dy"), new Named("x"), new Named("dx")));
        assertEquals(List.of("pair of dy", "input dx", "closed"), matrix.calls);
    }

    /** Records the calls to its gradient pairs. */
    private static final class Asked implements LocalMatrix {
        final List<String> calls = new ArrayList<>();
        private final boolean failing;

        Asked(boolean failing) {
            this.failing = failing;
        }

        @Override
        public GradientPair gradients(Queue queue, Tensor dyTN) {
            calls.add("pair of " + dyTN);
            return new GradientPair() {
                @Override
                public void input(Tensor dxTK) {
                    calls.add("input " + dxTK);
                    if (failing) {
                        throw new IllegalStateException("fails");
                    }
                }

                @Override
                public void weight(Tensor xTK) {
                    calls.add("weight of " + xTK);
                }

                @Override
                public void weight(PackedOperand x) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void close() {
                    calls.add("closed");
                }
            };
        }

        @Override
        public Parameter weight() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void forward(Queue queue, Tensor xTK, Tensor yTN) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void inputGradient(Queue queue, Tensor dyTN, Tensor dxTK) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK) {
            throw new UnsupportedOperationException();
        }
    }

    private record Named(String name) implements Tensor {
        @Override
        public String toString() {
            return name;
        }

        @Override
        public Shape shape() {
            return Shape.of();
        }

        @Override
        public DType dtype() {
            return DType.FP32;
        }

        @Override
        public Tensor view(long elementOffset, Shape shape) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
