package io.hirundo.gemmonednn.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.devicecpu.internal.CpuBackend;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.device.AttentionFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attention in BF16 by oneDNN's GEMMs against the scalar reference, and the same bits for any number of workers. */
class OneDnnAttentionTest {
    @TempDir
    static Path cache;

    @BeforeAll
    static void requireInstructions() {
        OneDnn library = OneDnnTest.library(cache);
        assumeTrue(
                library.obstacle(DType.BF16).isEmpty(),
                () -> library.obstacle(DType.BF16).orElse(""));
    }

    static List<AttentionFixture> shapes() {
        return AttentionFixture.shapes();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void matchesTheReference(AttentionFixture trial) {
        var library = new Counting(OneDnnTest.library(cache));
        List<double[]> expected = run(trial, new CpuBackend(new CpuOptions(1, CpuOptions.REFERENCE), List.of()));
        List<double[]> found =
                run(trial, new CpuBackend(new CpuOptions(1, CpuOptions.VECTOR, "onednn"), List.of(library)));
        assertTrue(library.prepared > 0 || !trial.computes(), "GEMMs by oneDNN");
        AttentionFixture.requireClose(expected, found);
        List<double[]> again =
                run(trial, new CpuBackend(new CpuOptions(3, CpuOptions.VECTOR, "onednn"), List.of(library)));
        for (int i = 0; i < found.size(); i++) {
            assertArrayEquals(found.get(i), again.get(i), "output " + i + " with 3 workers");
        }
    }

    private static List<double[]> run(AttentionFixture trial, CpuBackend backend) {
        try (Bench bench = Bench.open(backend)) {
            return trial.run(bench, DType.BF16);
        }
    }

    /** Sees whether attention asks for GEMMs. */
    private static final class Counting implements GemmLibrary {
        private final GemmLibrary library;
        private int prepared;

        Counting(GemmLibrary library) {
            this.library = library;
        }

        @Override
        public String name() {
            return library.name();
        }

        @Override
        public String description() {
            return library.description();
        }

        @Override
        public Optional<String> obstacle(DType operands) {
            return library.obstacle(operands);
        }

        @Override
        public boolean isFaster(DType operands) {
            return library.isFaster(operands);
        }

        @Override
        public synchronized PreparedProduct prepare(TileProduct product) {
            prepared++;
            return library.prepare(product);
        }
    }
}
