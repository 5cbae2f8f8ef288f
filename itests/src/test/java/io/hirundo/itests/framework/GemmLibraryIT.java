package io.hirundo.itests.framework;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.itests.program.Profiles;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.tensor.DType;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

/** A run on a library that a bundle offers, while the bundle comes and goes. */
@ExtendWith(PaxExamExtension.class)
public class GemmLibraryIT {
    private static final int STEPS = 6;

    @Inject
    private BundleContext context;

    @Inject
    private Trainer trainer;

    @Inject
    private GemmLibrary library;

    @Configuration
    public Option[] configuration() {
        return Profiles.options("cpu");
    }

    @Test
    public void aRunKeepsItsLibraryWhenTheBundleStops() throws Exception {
        DType type = library.obstacle(DType.BF16).isEmpty() ? DType.BF16 : DType.FP32;
        assumeTrue(
                library.obstacle(type).isEmpty() && library.isFaster(type),
                () -> library.obstacle(type).orElse("not the choice of auto"));
        Bundle bundle = FrameworkRun.bundle(context, "io.hirundo.gemm-onednn");
        List<Double> expected = losses(type, "onednn", 0, bundle);

        assertEquals(expected, losses(type, "onednn", 3, bundle), "stopped after step 3");
        bundle.start();
        assertEquals(expected, losses(type, "auto", 0, bundle), "and the next run has it again");
    }

    /** @param stopAfter the step after which the bundle stops; 0 for never */
    private List<Double> losses(DType type, String gemm, int stopAfter, Bundle bundle) throws Exception {
        List<Double> losses = new ArrayList<>();
        try (TrainingRun run = trainer.prepare(configuration(type, gemm))) {
            for (int step = 1; step <= STEPS; step++) {
                losses.add(run.step().loss());
                if (step == stopAfter) {
                    bundle.stop();
                }
            }
        }
        return losses;
    }

    private static Map<String, Object> configuration(DType type, String gemm) {
        Map<String, Object> configuration = new HashMap<>(MinimalTrainingIT.tiny(1));
        configuration.put("precision", type == DType.BF16 ? "bf16" : "fp32");
        configuration.put("device", Map.of("name", "cpu", "options", Map.of("workers", 2, "gemm", gemm)));
        return configuration;
    }
}
