package io.hirundo.devicecpu.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.DynamicMap;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.AdamW8BitKernels.Moment;
import io.hirundo.kernel.optimizer.AdamW8BitKernels.Update;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.tensor.DType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** AdamW with moments in 8 bits. */
final class AdamW8BitTest {
    private static final AdamWCoefficients COEFFICIENTS = new AdamWCoefficients(1e-2, 0.9, 0.95, 1e-8, 0.1, 3);

    /** One update of some blocks that are not multiples of a worker's. */
    private static final class Step {
        private final CpuTensor parameter;
        private final Moment first;
        private final Moment second;

        private Step(TestDevice device, Kernels kernels, int blocks) {
            int elements = blocks * AdamW8BitKernels.BLOCK_ELEMENTS;
            CpuTensor gradient = device.random(DType.FP32, 1, elements);
            parameter = device.random(DType.FP32, 2, elements);
            first = moment(device, elements, 3);
            second = moment(device, elements, 4);
            CpuTensor coefficient = device.tensor(DType.FP64, i -> 0.5, 1);
            kernels.find(AdamW8BitKernels.class)
                    .orElseThrow()
                    .adamW(
                            device.queue,
                            COEFFICIENTS,
                            coefficient,
                            List.of(new Update(gradient, parameter, first, second)));
        }

        private static Moment moment(TestDevice device, int elements, int seed) {
            CpuTensor quantized = device.tensor(DType.INT32, i -> (int) (i * 0x9e3779b9L * seed), elements / 4);
            // One block has no state yet.
            return new Moment(
                    quantized,
                    device.tensor(
                            DType.FP32, i -> i == 1 ? 0 : 0.1 + i % 5, elements / AdamW8BitKernels.BLOCK_ELEMENTS));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 128, 301})
    void vectorMatchesReference(int blocks) {
        KernelParity.check(1e-6, (device, kernels) -> {
            var step = new Step(device, kernels, blocks);
            return List.of(step.parameter, (CpuTensor) step.first.scales(), (CpuTensor) step.second.scales());
        });
        try (TestDevice reference = new TestDevice(1, "reference");
                TestDevice vector = new TestDevice(2, "vector")) {
            var expected = new Step(reference, reference.device.kernels(), blocks);
            var found = new Step(vector, vector.device.kernels(), blocks);
            assertQuantized(expected.first, found.first);
            assertQuantized(expected.second, found.second);
        }
    }

    /** Sums in FP32 may fall on the other side of a middle between two values, rarely. */
    private static void assertQuantized(Moment expected, Moment found) {
        int others = 0;
        long elements = expected.quantized().elements() * 4;
        for (long i = 0; i < elements; i++) {
            int difference = quantized(expected, i) - quantized(found, i);
            assertTrue(Math.abs(difference) <= 1, "element " + i);
            others += difference == 0 ? 0 : 1;
        }
        assertTrue(others <= elements / 1000 + 1, others + " of " + elements);
    }

    private static int quantized(Moment moment, long i) {
        return Memory.getByte(((CpuTensor) moment.quantized()).address() + i) & 0xff;
    }

    /** By the formulas of AdamW, from nothing: the first step does not depend on the quantization. */
    @Test
    void firstUpdateIsThatOfMomentsInFp32() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            var coefficients = new AdamWCoefficients(1e-2, 0.9, 0.95, 1e-8, 0.1, 1);
            CpuTensor gradient = device.random(DType.FP32, 1, 512);
            CpuTensor exact = device.random(DType.FP32, 2, 512);
            CpuTensor found = device.random(DType.FP32, 2, 512);
            CpuTensor one = device.tensor(DType.FP64, i -> 1, 1);
            CpuTensor exactFirst = device.tensor(DType.FP32, i -> 0, 512);
            device.device
                    .kernels()
                    .optimizer()
                    .adamW(
                            device.queue,
                            coefficients,
                            one,
                            gradient,
                            exact,
                            exactFirst,
                            device.tensor(DType.FP32, i -> 0, 512));
            Moment first = new Moment(device.tensor(DType.INT32, i -> 0, 128), device.tensor(DType.FP32, i -> 0, 4));
            Moment second = new Moment(device.tensor(DType.INT32, i -> 0, 128), device.tensor(DType.FP32, i -> 0, 4));
            device.device
                    .kernels()
                    .find(AdamW8BitKernels.class)
                    .orElseThrow()
                    .adamW(device.queue, coefficients, one, List.of(new Update(gradient, found, first, second)));
            for (int i = 0; i < 512; i++) {
                assertEquals(exact.getDouble(i), found.getDouble(i));
                double scale = ((CpuTensor) first.scales()).getDouble(i / AdamW8BitKernels.BLOCK_ELEMENTS);
                // Half of the widest gap between values, next to 1.
                assertEquals(
                        exactFirst.getDouble(i), scale * DynamicMap.SIGNED.value(quantized(first, i)), scale * 0.0071);
            }
        }
    }

    @Test
    void largestMagnitudeOfABlockIsExact() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            var step = new Step(device, device.device.kernels(), 3);
            for (int block = 0; block < 3; block++) {
                boolean found = false;
                for (int i = 0; i < AdamW8BitKernels.BLOCK_ELEMENTS; i++) {
                    found |= quantized(step.second, (long) block * AdamW8BitKernels.BLOCK_ELEMENTS + i) == 255;
                }
                assertTrue(found, "block " + block);
            }
        }
    }

    /** The gradient's NaN stays in the moments, so that the next steps show it, too. */
    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void nanOfAGradientIsTheScaleOfItsBlock(String kernels) {
        try (TestDevice device = new TestDevice(1, kernels)) {
            CpuTensor gradient = device.tensor(DType.FP32, i -> i == 300 ? Double.NaN : 0.25, 512);
            Moment first = new Moment(device.tensor(DType.INT32, i -> 0, 128), device.tensor(DType.FP32, i -> 0, 4));
            Moment second = new Moment(device.tensor(DType.INT32, i -> 0, 128), device.tensor(DType.FP32, i -> 0, 4));
            device.device
                    .kernels()
                    .find(AdamW8BitKernels.class)
                    .orElseThrow()
                    .adamW(
                            device.queue,
                            COEFFICIENTS,
                            device.tensor(DType.FP64, i -> 1, 1),
                            List.of(new Update(gradient, device.random(DType.FP32, 2, 512), first, second)));
            for (Moment moment : List.of(first, second)) {
                for (int block = 0; block < 4; block++) {
                    assertEquals(
                            block == 2, Double.isNaN(((CpuTensor) moment.scales()).getDouble(block)), "block " + block);
                }
            }
        }
    }

    @Test
    void rejectsPartsOfBlocksByName() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            CpuTensor odd = device.random(DType.FP32, 1, 127);
            Moment moment = new Moment(device.tensor(DType.INT32, i -> 0, 32), device.tensor(DType.FP32, i -> 0, 1));
            var failure = assertThrows(IllegalArgumentException.class, () -> new Update(odd, odd, moment, moment));
            assertEquals("parameterN has 127 elements (allowed: a multiple of 128)", failure.getMessage());
            CpuTensor block = device.random(DType.FP32, 1, 128);
            Moment two = new Moment(device.tensor(DType.INT32, i -> 0, 32), device.tensor(DType.FP32, i -> 0, 2));
            var scales = assertThrows(IllegalArgumentException.class, () -> new Update(block, block, moment, two));
            assertEquals("second.scales has 2 elements of FP32 (allowed: 1 of FP32)", scales.getMessage());
        }
    }
}
