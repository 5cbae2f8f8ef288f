package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.DocumentRules;
import io.hirundo.device.ComputeBackend;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.trainer.internal.fixture.Parity;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every layout gives the losses, gradients and weights of a single rank; {@link LayoutMatrixTest} covers many more. */
class LayoutParityTest {
    static final Parity PARITY = Parity.within(1e-5);

    /** Documents change the passes only, which each step repeats; optimizers see 20 steps without them. */
    private static final int DOCUMENT_STEPS = 5;

    /** Runs that several tests use. */
    private static final Map<Layout, Trained> FAST = new ConcurrentHashMap<>();

    private record Trained(Trace trace, List<PlannedBytes.Used> used) {}

    private static final AtomicReference<Trace> DOCUMENTS_ALONE = new AtomicReference<>();

    static Stream<Layout> fast() {
        return LayoutMatrix.fast();
    }

    @ParameterizedTest
    @MethodSource
    void fast(Layout layout) {
        PARITY.check(
                Layouts.alone(layout, Layouts.FP32, Layouts.STEPS),
                trained(layout).trace());
    }

    /** In FP32; in other precisions {@link PlanParityTest} compares. */
    @ParameterizedTest
    @MethodSource("fast")
    void takesThePlannedBytes(Layout layout) {
        PlannedBytes.check(
                Layouts.configuration(layout),
                backend -> strategies(layout, backend),
                trained(layout).used(),
                Set.of());
    }

    private static Trained trained(Layout layout) {
        return FAST.computeIfAbsent(layout, each -> {
            var used = new ArrayList<PlannedBytes.Used>();
            Trace trace = Layouts.run(
                    Layouts.configuration(each),
                    Layouts.STEPS,
                    strategies(each, Layouts.cpu()),
                    run -> used.addAll(PlannedBytes.of(run)));
            return new Trained(trace, used);
        });
    }

    private static Strategies strategies(Layout layout, ComputeBackend backend) {
        return Layouts.strategies(layout, backend, request -> new StructuredTokens());
    }

    @ParameterizedTest
    @MethodSource("io.hirundo.trainer.internal.parity.LayoutMatrix#hiding")
    void overlapChangesNoBit(Layout layout) {
        assertOverlapChangesNoBit(layout);
    }

    static void assertOverlapChangesNoBit(Layout layout) {
        Trace with = trained(layout).trace();
        Trace without = Layouts.run(layout.withoutOverlap());

        assertEquals(without.losses(), with.losses());
        assertEquals(without.norms(), with.norms());
        without.weights()
                .forEach((path, values) ->
                        assertArrayEquals(values, with.weights().get(path), path));
    }

    /** Masked labels, positions that restart and attention limited to documents, with different documents on every data-parallel rank. */
    @ParameterizedTest
    @MethodSource("io.hirundo.trainer.internal.parity.LayoutMatrix#ofSingleAxes")
    void documents(Layout layout) {
        checkDocuments(layout);
    }

    static void checkDocuments(Layout layout) {
        PARITY.check(documentsAlone(), Layouts.run(layout, DOCUMENT_STEPS, StructuredDocuments.WITH_ALL_RULES));
    }

    /** Otherwise the parity tests above would prove nothing. */
    @Test
    void eachDocumentRuleChangesTheLoss() {
        var losses = new HashSet<Double>(List.of(documentsAlone().losses().getFirst()));
        for (var rules : List.of(
                new DocumentRules(1, false, false, false), new DocumentRules(1, true, false, false),
                new DocumentRules(1, false, true, false), new DocumentRules(1, false, false, true))) {
            try (var run = LocalRun.open(
                    Layouts.configuration(Layout.alone(false)),
                    Layouts.strategies(Layout.alone(false), Layouts.cpu(), new StructuredDocuments(rules)))) {
                losses.add(run.step().loss());
            }
        }
        assertEquals(5, losses.size(), losses::toString);
    }

    private static Trace documentsAlone() {
        return DOCUMENTS_ALONE.updateAndGet(trace -> trace == null
                ? Layouts.run(Layout.alone(false), DOCUMENT_STEPS, StructuredDocuments.WITH_ALL_RULES)
                : trace);
    }

    @Test
    void theMatrixIsLargeEnough() {
        assertTrue(
                LayoutMatrix.matrix().count() >= 100,
                "layouts: " + LayoutMatrix.matrix().count());
    }

    /** Of several data ranks and several stages. */
    @ParameterizedTest
    @ValueSource(strings = {"zero1", "zero2", "fsdp", "hybrid"})
    void theMatrixHasEveryModeWithEverySchedule(String mode) {
        var found = new HashMap<String, Set<Boolean>>();
        Stream.concat(LayoutMatrix.matrix(), LayoutMatrix.moreHybrid())
                .filter(layout ->
                        layout.extents().data() > 1 && layout.extents().pipeline() > 1)
                .filter(layout -> layout.ways()
                        .data()
                        .replaceFirst(".* in shards of .*", "hybrid")
                        .equals(mode))
                .forEach(layout -> found.computeIfAbsent(layout.ways().schedule(), unknown -> new HashSet<>())
                        .add(layout.tied()));
        Set<Boolean> tiedAndUntied = Set.of(true, false);
        assertEquals(
                LayoutMatrix.SCHEDULES.stream()
                        .collect(Collectors.toMap(schedule -> schedule, schedule -> tiedAndUntied)),
                found);
    }
}
