package io.hirundo.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.model.parameter.Initialization;
import java.util.OptionalDouble;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options that no device can compute are rejected where a model declares them. */
class LayerOptionsTest {
    private static final Initialization ANY = Initialization.normal(0.02);

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void scalesAndCapsArePositive(double wrong) {
        assertEquals(
                "head: softCap is " + wrong + " (allowed: positive numbers)",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> new LayerSpec.LossHead("head", 8, 4, ANY, OptionalDouble.of(wrong)))
                        .getMessage());
        assertEquals(
                "table: scale is " + wrong + " (allowed: positive numbers)",
                assertThrows(IllegalArgumentException.class, () -> new LayerSpec.Embedding("table", 8, 4, ANY, wrong))
                        .getMessage());
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.NEGATIVE_INFINITY})
    void offsetsAreFinite(double wrong) {
        assertEquals(
                "norm: weightOffset is " + wrong + " (allowed: finite numbers)",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> new LayerSpec.Norm("norm", Activation.residual(4), 1e-6, wrong))
                        .getMessage());
    }
}
