package io.hirundo.inference.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.DivergedException;
import io.hirundo.lib.inference.evaluation.Evaluator;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EvalCommandTest {
    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY})
    void rejectsLossThatIsNotFinite(double loss) {
        var e = assertThrows(DivergedException.class, () -> EvalCommand.finite(new Evaluator.Result(loss, 7)));
        assertEquals(
                "the model's mean loss is " + loss
                        + " over 7 tokens; give a model from an earlier checkpoint, or --precision fp32",
                e.getMessage());
    }

    @Test
    void computesBitsPerByteOfTheText() {
        var result = new Evaluator.Result(2 * Math.log(2), 10);
        assertEquals(4, EvalCommand.bitsPerByte(result, OptionalLong.of(5)).orElseThrow(), 1e-12);
        assertEquals(OptionalDouble.empty(), EvalCommand.bitsPerByte(result, OptionalLong.empty()));
    }

    @Test
    void reportsFiniteLoss() {
        assertEquals(2.5, EvalCommand.finite(new Evaluator.Result(2.5, 7)).loss());
    }
}
