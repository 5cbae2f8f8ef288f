package io.hirundo.planner.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.engine.audit.AuditChooser;
import io.hirundo.lib.engine.audit.AuditChooser.Draw;
import io.hirundo.lib.engine.audit.GemmPlan;
import io.hirundo.lib.engine.audit.GemmPlan.Stored;
import io.hirundo.precision.LinearProduct;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The printed probabilities equal the frequencies with which draws hit a fault. */
class AuditForecastTest {
    private static final int RANKS = 4;
    private static final int LAYERS = 5;
    private static final int RUNS = 600;
    private static final Stored FP32 = new Stored(DType.FP32, Optional.empty());

    private static final List<List<GemmPlan>> LAYERS_OF_A_RANK = layers();
    private static final AuditForecast FORECAST = new AuditForecast(
            Collections.nCopies(RANKS, new AuditForecast.OfRank(LAYERS_OF_A_RANK, List.of(), List.of(), 0)));

    private static List<List<GemmPlan>> layers() {
        var layers = new ArrayList<List<GemmPlan>>();
        for (int layer = 0; layer < LAYERS; layer++) {
            var gemmSummary = new ArrayList<GemmPlan>();
            for (LinearProduct product : LinearProduct.values()) {
                gemmSummary.add(new GemmPlan("layer" + layer, product, 3, 64, 96, 128, DType.FP32, FP32, FP32, 0));
            }
            layers.add(List.copyOf(gemmSummary));
        }
        return List.copyOf(layers);
    }

    private record Hit(int rank, GemmPlan product, int call, long row, long column) {
        static Hit of(Draw draw) {
            int rank = draw.rank(RANKS);
            GemmPlan product = draw.product(LAYERS_OF_A_RANK);
            return new Hit(
                    rank,
                    product,
                    draw.call(product),
                    draw.firstRow(product.rows(), product.tile()),
                    draw.firstColumn(product.columns(), product.tile()));
        }

        boolean isIn(int layer, LinearProduct of) {
            return product.layer().equals("layer" + layer) && product.product() == of;
        }

        boolean isTile() {
            return row == 32 && column == 64;
        }
    }

    private static Predicate<Hit> fault(int extent) {
        var output = LinearProduct.OUTPUT;
        return switch (extent) {
            case 0 -> hit -> hit.rank() == 1 && hit.isIn(2, output) && hit.isTile() && hit.call() == 1;
            case 1 -> hit -> hit.rank() == 1 && hit.isIn(2, output) && hit.isTile();
            case 2 -> hit -> hit.rank() == 1 && hit.isIn(2, output);
            case 3 -> hit -> hit.rank() == 1 && hit.product().layer().equals("layer2");
            case 4 -> hit -> hit.product().layer().equals("layer2");
            case 5 -> hit -> hit.rank() == 1;
            default -> hit -> true;
        };
    }

    /** Of runs with different seeds, the number that detects the fault is within four standard deviations of the binomial distribution. */
    @ParameterizedTest
    @CsvSource({
        "0, 2000, 1",
        "1, 800, 1",
        "2, 40, 1",
        "2, 400, 0.1",
        "3, 15, 1",
        "4, 4, 1",
        "4, 2, 2",
        "5, 3, 1",
        "5, 30, 0.1",
        "6, 1, 1"
    })
    void predictsTheFrequencyOfDetection(int extent, int steps, double rate) {
        double expected = FORECAST.faults().get(extent).within(steps * rate);
        int noticed = 0;
        for (int run = 0; run < RUNS; run++) {
            if (isNoticed(new AuditChooser(run, rate), steps, fault(extent))) {
                noticed++;
            }
        }
        double deviation = Math.sqrt(RUNS * expected * (1 - expected));
        assertEquals(RUNS * expected, noticed, 4 * deviation + 1e-9, () -> "expected share " + expected);
        assertTrue(expected > 0.2 || extent == 0, "too rare to be significant");
    }

    private static boolean isNoticed(AuditChooser chooser, int steps, Predicate<Hit> fault) {
        for (int step = 1; step <= steps; step++) {
            for (int index = 0; index < chooser.count(step); index++) {
                if (fault.test(Hit.of(chooser.draw(step, index)))) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void predictsPartsOfAnAudit() {
        var everything = new AuditForecast.Fault("all", 1);
        assertEquals(0.1, everything.within(0.1), 1e-12);
        assertEquals(1, everything.within(1));
        assertEquals(1e-9, new AuditForecast.Fault("little", 1e-10).within(10), 1e-12);
    }

    @Test
    void countsAuditsByRate() {
        for (double rate : new double[] {0, 0.01, 0.1, 0.3, 1, 2.5, 64}) {
            var chooser = new AuditChooser(1, rate);
            long audits = 0;
            for (int step = 1; step <= 10_000; step++) {
                audits += chooser.count(step);
            }
            assertEquals(10_000 * rate, audits, 1, "rate " + rate);
        }
    }
}
