package io.hirundo.testkit.scalar.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ScalarTensorTest {
    private final ScalarTensor tensor = ScalarTensor.allocate(Shape.of(4), DType.FP32, closed -> {});
    private final ScalarTensor view = (ScalarTensor) tensor.view(1, Shape.of(2));

    @Test
    void segmentsHoldTheElements() {
        tensor.setValues(new double[] {1, 2, 3, 4});
        MemorySegment segment = view.memory();
        assertEquals(8, segment.byteSize());
        assertEquals(3, segment.get(ValueLayout.JAVA_FLOAT, 4));
        segment.set(ValueLayout.JAVA_FLOAT, 0, 7);
        assertEquals(7, tensor.get(1));
    }

    @Test
    void rejectsAccessToClosedMemory() {
        // Before the tensor is closed: also what was accessed then is rejected later.
        MemorySegment segment = view.memory();
        view.set(0, 1);
        view.close();
        tensor.close();
        Executable[] accesses = {
            () -> segment.get(ValueLayout.JAVA_FLOAT, 0),
            view::memory,
            view::bytes,
            view::values,
            () -> view.get(0),
            () -> view.set(0, 1),
            () -> view.setValues(new double[2]),
            () -> view.view(0, Shape.of(1)),
            tensor::close
        };
        for (int i = 0; i < accesses.length; i++) {
            assertThrows(IllegalStateException.class, accesses[i], "access " + i);
        }
    }
}
