package io.hirundo.gemmonednn.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.kernel.host.TileProduct.Operand;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Matrices;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** GEMMs at odd sizes against a sum in double precision; values are small integers, so that every order of summing is exact. */
class OneDnnTest {
    private static final int[] EXTENTS = {2, 17, 63, 65, 257};

    @TempDir
    static Path cache;

    private static OneDnn library;

    /** One for all tests: the process opens it once. */
    static synchronized OneDnn library(Path cache) {
        if (library == null) {
            library = new OneDnn(new NativeFiles(cache));
        }
        return library;
    }

    private static OneDnn library() {
        return library(cache);
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FP32", "BF16"})
    void multipliesAtOddSizes(DType type) {
        // FP32 works on every processor that the library opens on, whether or not it is worth it.
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "the bundle has no oneDNN for this architecture");
        assertTrue(library().description().startsWith("oneDNN 3."), library().description());
        assumeTrue(
                type == DType.FP32 || library().obstacle(type).isEmpty(),
                () -> library().obstacle(type).orElse(""));
        var random = new Random(7);
        for (int m : EXTENTS) {
            for (int n : EXTENTS) {
                for (int k : EXTENTS) {
                    for (int form = 0; form < 3; form++) {
                        check(type, m, n, k, form == 2, form == 0, (m + n + form) % 2 == 0, random);
                    }
                }
            }
        }
    }

    private static void check(
            DType type,
            int m,
            int n,
            int k,
            boolean aTransposed,
            boolean bTransposed,
            boolean accumulate,
            Random random) {
        try (Arena arena = Arena.ofConfined()) {
            int bytes = type == DType.BF16 ? 2 : 4;
            MemorySegment a = arena.allocate((long) m * k * bytes, 64);
            MemorySegment b = arena.allocate((long) k * n * bytes, 64);
            MemorySegment c = arena.allocate(4L * m * n, 64);
            double[] aValues = fill(a, type, m * k, random);
            double[] bValues = fill(b, type, k * n, random);
            double[] cValues = fill(c, DType.FP32, m * n, random);
            var product = new TileProduct(
                    m,
                    n,
                    k,
                    new Operand(type, aTransposed ? m : k, aTransposed),
                    new Operand(type, bTransposed ? k : n, bTransposed),
                    new Operand(DType.FP32, n, false),
                    accumulate);
            try (PreparedProduct prepared = library().prepare(product)) {
                long scratch = arena.allocate(prepared.scratchBytes() + 64, 64).address();
                prepared.run(a.address(), b.address(), c.address(), scratch);
            }
            double[] expected = Matrices.product(
                    accumulate ? cValues : null,
                    aValues,
                    aTransposed ? Matrices.transposed(m) : Matrices.rowMajor(k),
                    bValues,
                    bTransposed ? Matrices.transposed(k) : Matrices.rowMajor(n),
                    m,
                    k,
                    n);
            float[] found = c.toArray(ValueLayout.JAVA_FLOAT);
            for (int i = 0; i < found.length; i++) {
                // Building a message for every element would take longer than the test.
                if (Double.compare(expected[i], found[i]) != 0) {
                    assertEquals(expected[i], found[i], product + " at " + i / n + ", " + i % n);
                }
            }
        }
    }

    /** Shapes of seed 11. The device relies on it where K has one block, so K is at most 768 here. */
    @Test
    void bf16ResultsWithAtMostAsManyColumnsAsRowsAreFp32ResultsRoundedOnce() {
        requireBf16();
        var random = new Random(11);
        for (int shape = 0; shape < 48; shape++) {
            int n = 2 + random.nextInt(shape % 4 == 0 ? 300 : 70);
            int m = n + random.nextInt(shape % 3 == 0 ? 200 : 40);
            int k = 1 + random.nextInt(768);
            Operand a = new Operand(DType.BF16, shape % 5 == 0 ? m : k, shape % 5 == 0);
            Operand b = new Operand(DType.BF16, shape % 2 == 0 ? k : n, shape % 2 == 0);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment as = noise(arena, m * k, random);
                MemorySegment bs = noise(arena, k * n, random);
                MemorySegment narrow = noise(arena, m * n, random);
                MemorySegment wide = arena.allocate(4L * m * n, 64);
                for (int i = 0; i < m * n; i++) {
                    wide.setAtIndex(
                            ValueLayout.JAVA_FLOAT,
                            i,
                            Float.intBitsToFloat(narrow.getAtIndex(ValueLayout.JAVA_SHORT, i) << 16));
                }
                boolean accumulate = shape % 7 < 3;
                var intoNarrow = new TileProduct(m, n, k, a, b, new Operand(DType.BF16, n, false), accumulate);
                run(intoNarrow, as, bs, narrow, arena);
                run(new TileProduct(m, n, k, a, b, new Operand(DType.FP32, n, false), accumulate), as, bs, wide, arena);
                float[] fp32 = wide.toArray(ValueLayout.JAVA_FLOAT);
                short[] found = narrow.toArray(ValueLayout.JAVA_SHORT);
                for (int i = 0; i < m * n; i++) {
                    if (toBf16(fp32[i]) != found[i]) {
                        assertEquals(toBf16(fp32[i]), found[i], intoNarrow + " at " + i);
                    }
                }
            }
        }
    }

    private static void requireBf16() {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "the bundle has no oneDNN for this architecture");
        assumeTrue(
                library().obstacle(DType.BF16).isEmpty(),
                () -> library().obstacle(DType.BF16).orElse(""));
    }

    private static void run(TileProduct product, MemorySegment a, MemorySegment b, MemorySegment c, Arena arena) {
        try (PreparedProduct prepared = library().prepare(product)) {
            prepared.run(
                    a.address(),
                    b.address(),
                    c.address(),
                    arena.allocate(prepared.scratchBytes() + 64, 64).address());
        }
    }

    private static MemorySegment noise(Arena arena, int count, Random random) {
        MemorySegment memory = arena.allocate(2L * count, 64);
        for (int i = 0; i < count; i++) {
            memory.setAtIndex(ValueLayout.JAVA_SHORT, i, toBf16(random.nextFloat() - 0.5f));
        }
        return memory;
    }

    /** To nearest, ties to even. */
    private static short toBf16(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (short) ((bits + 0x7fff + (bits >>> 16 & 1)) >>> 16);
    }

    /** Anything that a run or a preparation left behind would be megabytes after as many. */
    @Test
    void runsAndPreparationsLeaveNoMemoryBehind() throws Exception {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "the bundle has no oneDNN for this architecture");
        Operand operand = new Operand(DType.FP32, 48, false);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(4 * 64 * 48 * 4, 64);
            long a = memory.address();
            long scratch = arena.allocate(4 << 20, 64).address();
            long before = 0;
            for (int preparation = 0; preparation < 500; preparation++) {
                if (preparation == 100) {
                    before = residentKilobytes();
                }
                var product = new TileProduct(2 + preparation % 50, 48, 48, operand, operand, operand, true);
                try (PreparedProduct prepared = library().prepare(product)) {
                    assertTrue(prepared.scratchBytes() <= 4 << 20, () -> prepared.scratchBytes() + " bytes of scratch");
                    for (int run = 0; run < 25; run++) {
                        prepared.run(a, a + 64 * 48 * 4, a + 2 * 64 * 48 * 4, scratch);
                    }
                }
            }
            long growth = residentKilobytes() - before;
            assertTrue(growth < 8_000, () -> growth + " kB more after 400 preparations and 10,000 runs");
        }
    }

    private static long residentKilobytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    private static double[] fill(MemorySegment memory, DType type, int count, Random random) {
        double[] values = new double[count];
        for (int i = 0; i < count; i++) {
            float value = random.nextInt(17) - 8;
            values[i] = value;
            if (type == DType.BF16) {
                memory.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(value) >>> 16));
            } else {
                memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
            }
        }
        return values;
    }

    @Test
    void knowsWhatEachSetOfInstructionsLacks() {
        assertTrue(new Instructions(0x3).obstacle(DType.FP32).isPresent());
        assertTrue(new Instructions(0x7).obstacle(DType.FP32).isEmpty());
        assertTrue(new Instructions(0x7).obstacle(DType.BF16).isPresent());
        assertTrue(new Instructions(0x67).obstacle(DType.BF16).isPresent());
        assertTrue(new Instructions(0xe7).obstacle(DType.BF16).isEmpty());
        assertEquals("AMX", new Instructions(0xfef).toString());
        assertEquals("AVX2", new Instructions(0x7).toString());
    }

    @Test
    void isFasterInFp32WithoutAvx512AndWithAmx() {
        assertTrue(new Instructions(0x7).isFasterInFp32());
        assertFalse(new Instructions(0x3).isFasterInFp32());
        assertFalse(new Instructions(0x27).isFasterInFp32());
        assertFalse(new Instructions(0xe7).isFasterInFp32());
        assertTrue(new Instructions(0xfef).isFasterInFp32());
    }
}
