package io.hirundo.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.model.parameter.Initialization;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Weights that do not fit together are rejected where they are declared. */
class MatrixSpecTest {
    private static final Activation ON = Activation.residual(8);
    private static final Initialization NORMAL = Initialization.normal(0.02);

    private static WeightSpec weight(String path, WeightSpec.Use use, long inputs, Initialization initialization) {
        return new WeightSpec(
                path, List.of(List.of(Dims.inner(6)), List.of(Dims.hidden(inputs))), ON, use, initialization);
    }

    private static final WeightSpec GATE = weight("gate", WeightSpec.Use.MATRIX, 8, NORMAL);

    private static void rejected(String message, WeightSpec... weights) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> new MatrixSpec("m", List.of(weights)))
                        .getMessage());
    }

    private static void weightRejected(String message, WeightSpec.Use use, int dimensions) {
        List<List<Dim>> shape = List.of(List.of(Dims.inner(6)), List.of(Dims.hidden(8)), List.of(Dims.head(2)))
                .subList(0, dimensions);
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> new WeightSpec("w", shape, ON, use, NORMAL))
                        .getMessage());
    }

    @Test
    void stacksEqualInputs() {
        var matrix = new MatrixSpec("m", List.of(GATE, weight("up", WeightSpec.Use.MATRIX, 8, NORMAL)));
        assertEquals(List.of(12L, 8L), List.of(matrix.outputs(), matrix.inputs()));
    }

    /** One parameter has one initialization, and one K. */
    @Test
    void rejectsWeightsThatCannotBeStacked() {
        rejected("matrix m has no weights");
        rejected(
                "matrix m: weight table has use TABLE (allowed: MATRIX)",
                GATE,
                weight("table", WeightSpec.Use.TABLE, 8, NORMAL));
        rejected(
                "matrix m stacks weights with the same inputs, but up has [hidden 4], gate has [hidden 8]; declare a matrix for each",
                GATE,
                weight("up", WeightSpec.Use.MATRIX, 4, NORMAL));
        rejected(
                "matrix m stacks weights with the same initialization, but up has Initialization[mean=1.0, standardDeviation=0.0], gate has "
                        + "Initialization[mean=0.0, standardDeviation=0.02]; declare a matrix for each",
                GATE,
                weight("up", WeightSpec.Use.MATRIX, 8, Initialization.ONES));
    }

    /** Optimizers decide by the number of dimensions what they decay. */
    @Test
    void rejectsDimensionsThatTheUseOfAWeightCannotHave() {
        weightRejected(
                "weight w of use VECTOR has 2 dimensions (allowed: 1, because optimizers decay tensors of more)",
                WeightSpec.Use.VECTOR,
                2);
        weightRejected(
                "weight w of use MATRIX has 1 dimensions (allowed: 2, [outputs, inputs])", WeightSpec.Use.MATRIX, 1);
        weightRejected(
                "weight w of use MATRIX has 3 dimensions (allowed: 2, [outputs, inputs])", WeightSpec.Use.MATRIX, 3);
        weightRejected("weight w of use TABLE has 0 dimensions (allowed: at least 1)", WeightSpec.Use.TABLE, 0);
    }
}
