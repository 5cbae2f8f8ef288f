package io.hirundo.trainer.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.model.layer.Recompute;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.planner.internal.plan.PlanProgress;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.testkit.CtrlC;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import io.hirundo.trainer.internal.parity.StructuredTokens;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Plans of several ranks report progress and can be interrupted. */
class WatchedPlanTest {
    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final AtomicLong now = new AtomicLong();

    private DryRun.Counted plan(CtrlC interruption) {
        // The clock advances a minute per check.
        var out = new PrintStream(err, true, StandardCharsets.UTF_8);
        var progress = new PlanProgress(interruption, out, false, () -> now.addAndGet(MINUTE_NANOS));
        var layout = new Layout(new Extents(2, 1, 2, 1), Ways.of("1f1b"), Recompute.NONE, 2, true);
        var backend = new MetaFactory().create(new MetaOptions());
        var precision = new Fp32Factory().create(new NoOptions());
        return DryRun.of(
                Layouts.configuration(layout),
                Layouts.strategies(layout, precision, backend, request -> new StructuredTokens()),
                progress);
    }

    @Test
    void reportsProgress() {
        plan(new CtrlC());
        var lines = err.toString(StandardCharsets.UTF_8).lines().toList();
        assertEquals("plan: comparing ranks", lines.getFirst());
        assertTrue(lines.contains("plan of 4 ranks: 0 of 2 different ranks counted"), lines::toString);
        assertTrue(
                lines.stream()
                        .anyMatch(line ->
                                line.matches("plan of 4 ranks: 1 of 2 different ranks counted, about [0-9]+ s left")),
                lines::toString);
        // Threads print, so another line may follow.
        assertTrue(
                lines.stream().anyMatch(line -> line.startsWith("plan of 4 ranks: 2 of 2 different ranks counted")),
                lines::toString);
    }

    @Test
    void stopsOnInterruptBeforeModelsAreOpened() {
        var looks = new AtomicInteger();
        // The first check is when the first rank is about to open its model.
        assertThrows(CancellationException.class, () -> plan(CtrlC.when(() -> looks.incrementAndGet() > 0)));
        assertEquals(1, looks.get(), "a rank was opened after the interruption");
    }

    @Test
    void stopsOnInterruptDuringThePlan() {
        var looks = new AtomicInteger();
        assertThrows(CancellationException.class, () -> plan(CtrlC.when(() -> looks.incrementAndGet() > 50)));
        assertTrue(looks.get() < 60, looks + " looks: ranks continued after the interruption");
        String text = err.toString(StandardCharsets.UTF_8);
        assertFalse(text.contains(" 2 of 2 "), text);
    }
}
