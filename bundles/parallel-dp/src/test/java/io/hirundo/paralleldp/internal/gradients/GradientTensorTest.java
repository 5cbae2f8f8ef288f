package io.hirundo.paralleldp.internal.gradients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks;
import io.hirundo.paralleldp.internal.fixture.ThreadRanks.Rank;
import io.hirundo.paralleldp.internal.fixture.Wire;
import io.hirundo.tensor.DType;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

class GradientTensorTest {
    private static final int ELEMENTS = 48;
    private static final long BYTES = 4 * ELEMENTS;

    private static void with(long elements, boolean late, BiConsumer<Rank, GradientTensor> test) throws Exception {
        ThreadRanks.run(1, new Wire(1), rank -> {
            try (var gradients = new GradientTensor(rank.device(), elements, DType.FP32, late)) {
                test.accept(rank, gradients);
            }
            assertEquals(0, rank.books().live(MemoryCategory.GRADIENTS));
            return null;
        });
    }

    private static long live(Rank rank) {
        return rank.books().live(MemoryCategory.GRADIENTS);
    }

    @Test
    void lateOnesAreAllocatedToKnowThatTheyFitAndThenAtTheFirstUseInAStep() throws Exception {
        with(ELEMENTS, true, (rank, gradients) -> {
            gradients.allocate(rank.queue());
            assertEquals(BYTES, live(rank));
            gradients.releaseLate();
            assertEquals(0, live(rank));
            assertThrows(IllegalStateException.class, gradients::tensor);
            for (int step = 0; step < 2; step++) {
                gradients.zero(rank.queue());
                assertEquals(0, live(rank));
                assertEquals(0, ((CpuTensor) gradients.tensor()).getDouble(ELEMENTS - 1));
                assertEquals(BYTES, live(rank));
                rank.device().kernels().elementwise().fill(rank.queue(), gradients.tensor(), 3);
                assertEquals(3, ((CpuTensor) gradients.tensor()).getDouble(ELEMENTS - 1));
            }
        });
    }

    /** An error instead of zeros that nobody computed. */
    @Test
    void lateOnesCannotBeReadAfterTheUpdate() throws Exception {
        with(ELEMENTS, true, (rank, gradients) -> {
            gradients.allocate(rank.queue());
            gradients.releaseLate();
            gradients.zero(rank.queue());
            gradients.tensor();
            gradients.releaseLate();
            assertThrows(IllegalStateException.class, gradients::tensor);
            assertEquals(0, live(rank));
        });
    }

    @Test
    void othersStayUntilTheyAreReleased() throws Exception {
        with(ELEMENTS, false, (rank, gradients) -> {
            gradients.allocate(rank.queue());
            gradients.releaseLate();
            assertEquals(BYTES, live(rank));
            gradients.release();
            assertEquals(0, live(rank));
            gradients.zero(rank.queue());
            assertEquals(BYTES, live(rank));
        });
    }

    @Test
    void areAllocatedOnce() throws Exception {
        with(ELEMENTS, true, (rank, gradients) -> {
            assertThrows(IllegalStateException.class, () -> gradients.zero(rank.queue()));
            gradients.allocate(rank.queue());
            gradients.releaseLate();
            assertThrows(IllegalStateException.class, () -> gradients.allocate(rank.queue()));
            assertEquals(0, live(rank));
        });
    }

    @Test
    void takeNothingWithoutElements() throws Exception {
        with(0, true, (rank, gradients) -> {
            gradients.allocate(rank.queue());
            gradients.zero(rank.queue());
            assertNull(gradients.tensor());
        });
    }
}
