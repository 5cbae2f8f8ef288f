package io.hirundo.trainer.internal.conversion;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.engine.conversion.ConvertedForms;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.trainer.internal.fixture.Converting;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConvertedFormsTest {
    private static final String OWN = "optimizer/scales/w";
    private static final String OTHER = "optimizer/moment/w";

    private record Run(ParameterSpec spec, long firstElement, Tensor value) implements Parameter {
        @Override
        public Tensor gradient() {
            return value;
        }
    }

    /** Rows are 512 elements, which share one of the state. */
    private static ConvertedForms forms(long first, long count) {
        var conversion = new Converting.Other(
                List.of(new StateSpec("moment", DType.FP32)), List.of(new StateSpec("scales", DType.FP32, false, 512)));
        Optimizer optimizer =
                new Converting(new AdamWFactory().create(new AdamWOptions()), none -> List.of(conversion));
        var spec = new ParameterSpec("w", List.of(ParameterPart.whole("w", Shape.of(4, 512))), Initialization.ONES);
        try (var bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)))) {
            var run = new Run(spec, first, bench.tensor(DType.FP32, i -> 0, count));
            return ConvertedForms.of(optimizer, List.of(run), Set.of(OTHER));
        }
    }

    @Test
    void convertsATensorOfCompleteBlocks() {
        assertEquals(Set.of(OTHER), forms(512, 3 * 512).insteadOf(Set.of(OWN)));
    }

    /** The other half of the row would be neither loaded nor missing. */
    @Test
    void aTensorOfWhichARectangleDoesNotConvertIsMissing() {
        assertEquals(Set.of(OWN), forms(0, 2 * 512 + 256).insteadOf(Set.of(OWN)));
    }

    @Test
    void whatIsMissingOnAnotherRankIsNotConverted() {
        ConvertedForms forms = forms(512, 3 * 512);
        assertEquals(Set.of(OWN), forms.without(List.of(OWN)).insteadOf(Set.of(OWN)));
        assertEquals(Set.of(OTHER), forms.without(List.of("optimizer/scales/v")).insteadOf(Set.of(OWN)));
    }
}
