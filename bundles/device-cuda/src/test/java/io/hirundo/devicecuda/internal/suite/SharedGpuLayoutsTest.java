package io.hirundo.devicecuda.internal.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.fixture.StubStrategies;
import io.hirundo.gpusuite.internal.layouts.Comparisons.Compared;
import io.hirundo.gpusuite.internal.layouts.Layout;
import io.hirundo.gpusuite.internal.layouts.LayoutsPart;
import io.hirundo.gpusuite.internal.layouts.Precision;
import io.hirundo.gpusuite.internal.part.Part.Finding;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import io.hirundo.trainer.internal.service.DefaultTrainer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Eight ranks on the emulated GPU with the real trainer. In the profile {@code soak}, because the emulation takes a minute. */
@Tag("soak")
class SharedGpuLayoutsTest {
    @Test
    void trainLikeASingleRank() {
        StubCuda stub = StubCuda.orSkip();
        var options = Map.<String, Object>of(
                "toolkit", stub.toolkit(), "kernelCache", stub.kernels().toString(), "gemm", "own");
        var layouts = List.of(new Compared(Layout.of(2, 1, 2, 2), Precision.FP32));
        var part = new LayoutsPart(
                new DefaultTrainer(StubStrategies.of(stub)),
                layouts,
                "llama",
                new Choice("cuda", options),
                ranks -> stub.backend().sharedBy(ranks).devices());
        Finding found = part.run(new TimeBudget(Integer.MAX_VALUE, System::nanoTime), line -> {});
        assertEquals(List.of(), found.failures());
        assertEquals("1 of 1 layouts agree with a single rank; up to 8 ranks on cuda 0", found.summary());
    }
}
