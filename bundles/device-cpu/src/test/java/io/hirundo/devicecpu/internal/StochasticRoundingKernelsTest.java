package io.hirundo.devicecpu.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.optimizer.StochasticRounding;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels.Places;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels.Rounding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StochasticRoundingKernelsTest {
    private static final long KEY = 0xFEDCBA9876543210L;

    private static StochasticRoundingKernels of(Kernels kernels) {
        return kernels.find(StochasticRoundingKernels.class).orElseThrow();
    }

    /** Rows shorter and longer than vectors, elements of the middle of a row, indices across 2^32. */
    @ParameterizedTest
    @CsvSource({
        "1, 0, 0, 7, 7",
        "1000, 0, 3, 7, 21",
        "70001, 5, 20, 33, 99",
        "70001, 4294967000, 5, 4096, 4096",
        "301, 4294967290, 0, 301, 301",
        "65600, 1099511627776, 100, 128, 1024"
    })
    void vectorIsBitwiseTheReference(int elements, long first, long skipped, long columns, long stride) {
        KernelParity.check(0, (device, kernels) -> {
            CpuTensor to = device.tensor(DType.BF16, i -> 0, elements);
            var values = device.tensor(DType.FP32, i -> i % 97 == 5 ? special((int) i) : (i - 333) * 0.00371, elements);
            of(kernels)
                    .round(
                            device.queue,
                            List.of(new Rounding(values, to, new Places(KEY, first, skipped, columns, stride))));
            return List.of(to);
        });
    }

    private static double special(int i) {
        return switch (i % 3) {
            case 0 -> Double.NaN;
            case 1 -> Double.NEGATIVE_INFINITY;
            default -> -0.0;
        };
    }

    @Test
    void elementsAreThoseOfTheDefinition() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            CpuTensor from = device.random(DType.FP32, 1, 60);
            CpuTensor to = device.tensor(DType.BF16, i -> 0, 60);
            // Columns 4 to 9 of a matrix of 30, from its row 2 and its column 6 on.
            of(device.device.kernels())
                    .round(device.queue, List.of(new Rounding(from, to, new Places(KEY, 64, 2, 6, 30))));
            for (int i = 0; i < 60; i++) {
                long index = 30 * (2 + (2 + i) / 6) + 4 + (2 + i) % 6;
                short rounded =
                        StochasticRounding.rounded((float) from.getDouble(i), StochasticRounding.bits(KEY, index));
                assertEquals(Float.intBitsToFloat(rounded << 16), to.getDouble(i), "element " + i);
            }
        }
    }

    /** As two ranks do that divide a vector. */
    @Test
    void runsAreThePartsOfTheWhole() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            var kernels = of(device.device.kernels());
            CpuTensor from = device.random(DType.FP32, 1, 1000);
            CpuTensor whole = device.tensor(DType.BF16, i -> 0, 1000);
            CpuTensor parts = device.tensor(DType.BF16, i -> 0, 1000);
            kernels.round(device.queue, List.of(new Rounding(from, whole, Places.consecutive(KEY, 50))));
            kernels.round(
                    device.queue,
                    List.of(
                            new Rounding(
                                    from.view(0, Shape.of(333)),
                                    parts.view(0, Shape.of(333)),
                                    Places.consecutive(KEY, 50)),
                            new Rounding(
                                    from.view(333, Shape.of(667)),
                                    parts.view(333, Shape.of(667)),
                                    Places.consecutive(KEY, 383))));
            int changed = 0;
            for (int i = 0; i < 1000; i++) {
                assertEquals(whole.getDouble(i), parts.getDouble(i), "element " + i);
                changed += whole.getDouble(i) == (double) (float) from.getDouble(i) ? 0 : 1;
            }
            assertTrue(changed > 900, changed + " of 1000 were rounded");
        }
    }

    @Test
    void rejectsOperandsByName() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            CpuTensor from = device.random(DType.FP32, 1, 5);
            CpuTensor to = device.tensor(DType.BF16, i -> 0, 6);
            var places = Places.consecutive(KEY, 0);
            var length = assertThrows(IllegalArgumentException.class, () -> new Rounding(from, to, places));
            assertEquals("fromN has 5 elements of FP32 (allowed: 6 of FP32)", length.getMessage());
            var dtype = assertThrows(IllegalArgumentException.class, () -> new Rounding(from, from, places));
            assertEquals("toN has 5 elements of FP32 (allowed: 5 of BF16)", dtype.getMessage());
            assertThrows(IllegalArgumentException.class, () -> new Places(KEY, 0, 7, 7, 7));
        }
    }
}
