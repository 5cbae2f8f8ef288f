package io.hirundo.optimizeradamw.internal.adamw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Ownership;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdamWTest {
    private final FakeDevice device = new FakeDevice();
    private final Parameter matrix = device.parameter("w", 3, 5);
    private final Parameter vector = device.parameter("norm", 7);

    @Test
    void stateIsZeroAndNamedAsPyTorchDoes() {
        try (var run = new AdamWFactory().create(new AdamWOptions()).bind(device.device(), List.of(matrix, vector))) {
            assertEquals(
                    List.of("w exp_avg [3, 5]", "w exp_avg_sq [3, 5]", "norm exp_avg [7]", "norm exp_avg_sq [7]"),
                    run.state().stream()
                            .map(s -> s.parameter().spec().name() + " " + s.name() + " "
                                    + s.tensor().shape())
                            .toList());
            assertEquals(List.of("fill 0.0", "fill 0.0", "fill 0.0", "fill 0.0"), device.calls);
            assertEquals(4, device.open());
        }
        assertEquals(0, device.open());
    }

    @Test
    void onlyMatricesDecay() {
        try (var run = new AdamWFactory().create(new AdamWOptions()).bind(device.device(), List.of(matrix, vector))) {
            device.calls.clear();
            run.step(null, 3, 1e-3, null);
        }
        assertEquals(
                List.of(
                        "adamW AdamWCoefficients[learningRate=0.001, beta1=0.9, beta2=0.95, epsilon=1.0E-8, weightDecay=0.1, step=3]"
                                + " null [AdamWOperands[gradientN=w.gradient, parameterN=w.value, firstMomentN=OPTIMIZER0,"
                                + " secondMomentN=OPTIMIZER1]]",
                        "adamW AdamWCoefficients[learningRate=0.001, beta1=0.9, beta2=0.95, epsilon=1.0E-8, weightDecay=0.0, step=3]"
                                + " null [AdamWOperands[gradientN=norm.gradient, parameterN=norm.value, firstMomentN=OPTIMIZER2,"
                                + " secondMomentN=OPTIMIZER3]]"),
                device.calls);
    }

    @Test
    void stateIn8BitsHasACodeForEachElementAndAScaleForEachBlock() {
        Parameter large = device.parameter("large", 3, 512);
        var optimizer = new AdamWFactory().create(new AdamWOptions(0.9, 0.95, 1e-8, 0.1, true));
        assertEquals(Ownership.BLOCKS, optimizer.ownership(large.spec()));
        assertEquals(Ownership.ELEMENTS, optimizer.ownership(matrix.spec()));
        try (var run = optimizer.bind(device.device(), List.of(large, matrix))) {
            assertEquals(
                    List.of(
                            "exp_avg_quantized [384] of [3, 128]",
                            "exp_avg_scales_128 [12] of [3, 4]",
                            "exp_avg_sq_quantized [384] of [3, 128]",
                            "exp_avg_sq_scales_128 [12] of [3, 4]",
                            "exp_avg [3, 5] of [3, 5]",
                            "exp_avg_sq [3, 5] of [3, 5]"),
                    run.state().stream()
                            .map(s -> s.name() + " " + s.tensor().shape() + " of "
                                    + s.parameter().spec().shape())
                            .toList());
            device.calls.clear();
            run.step(null, 3, 1e-3, null);
            assertEquals(
                    2,
                    device.calls.stream()
                            .filter(call ->
                                    call.startsWith("adamW ") && call.contains("large") != call.contains("w.value"))
                            .count(),
                    device.calls::toString);
        }
        assertEquals(0, device.open());
    }

    @Test
    void rejects8BitStateWithoutKernels() {
        device.has8Bit = false;
        var optimizer = new AdamWFactory().create(new AdamWOptions(0.9, 0.95, 1e-8, 0.1, true));
        var failure =
                assertThrows(ConfigurationException.class, () -> optimizer.bind(device.device(), List.of(matrix)));
        assertEquals(
                "optimizer.options.eightBitState: fake device has no AdamW8BitKernels; set it to false",
                failure.getMessage());
    }

    @Test
    void rejectsImpossibleOptionsByName() {
        var factory = new AdamWFactory();
        var beta = assertThrows(ConfigurationException.class, () -> factory.create(new AdamWOptions(0.9, 1, 1e-8, 0)));
        assertEquals(
                "optimizer.options.beta2: 1.0 is wrong (allowed: at least 0 and below 1, finite in FP32); set optimizer.options.beta2=0.95",
                beta.getMessage());
        assertThrows(ConfigurationException.class, () -> factory.create(new AdamWOptions(0.9, 0.9, 0, 0)));
        assertThrows(ConfigurationException.class, () -> factory.create(new AdamWOptions(0.9, 0.9, 1e-300, 0)));
        assertThrows(ConfigurationException.class, () -> factory.create(new AdamWOptions(0.9, 0.9, 1, -1)));
        assertThrows(ConfigurationException.class, () -> factory.create(new AdamWOptions(0.9, 0.9, 1, 1e300)));
        assertThrows(ConfigurationException.class, () -> factory.create(new AdamWOptions(Double.NaN, 0.9, 1, 0)));
    }
}
