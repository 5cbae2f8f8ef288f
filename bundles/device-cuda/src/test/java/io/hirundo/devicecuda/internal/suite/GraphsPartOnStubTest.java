package io.hirundo.devicecuda.internal.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.fixture.StubStrategies;
import io.hirundo.gpusuite.internal.graphs.GraphsPart;
import io.hirundo.gpusuite.internal.graphs.GraphsPart.Training;
import io.hirundo.gpusuite.internal.model.SmallModel;
import io.hirundo.gpusuite.internal.part.Part.Finding;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import io.hirundo.trainer.internal.service.DefaultTrainer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The part {@code graphs} with the trainer on the emulated GPU. */
class GraphsPartOnStubTest {
    @Test
    void trainsInGraphs() {
        StubCuda stub = StubCuda.orSkip();
        var options = Map.<String, Object>of(
                "toolkit", stub.toolkit(), "kernelCache", stub.kernels().toString(), "gemm", "own");
        var tiny = new Training("tiny", "fp32", new SmallModel("llama", 32, 16, 8, 24, 1, 2, 8).run());
        var trainer = new DefaultTrainer(StubStrategies.of(stub));
        Finding found = new GraphsPart(trainer, List.of(tiny), new Choice("cuda", options), GraphsPart::launches)
                .run(new TimeBudget(1, () -> 0), line -> {});
        assertEquals(List.of(), found.failures());
        assertTrue(found.details().endsWith(" | 2 |\n"), found.details());
    }
}
