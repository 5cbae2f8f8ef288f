package io.hirundo.devicecpu.internal.gemm;

import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The vector GEMMs against sums in double, and against themselves on other workers and on parts of the rows. */
final class GemmTest {
    /** Which operand is stored transposed. */
    enum Form {
        NT,
        NN,
        TN;

        void multiply(TestDevice on, Tensor a, Tensor b, Tensor c, boolean accumulate) {
            GemmKernels gemm = on.device.kernels().gemm();
            switch (this) {
                case NT -> gemm.multiplyNT(on.queue, a, b, c, accumulate);
                case NN -> gemm.multiplyNN(on.queue, a, b, c, accumulate);
                case TN -> gemm.multiplyTN(on.queue, a, b, c, accumulate);
            }
        }

        CpuTensor a(TestDevice on, DType dtype, int m, int k) {
            return this == TN ? noise(on, dtype, 1, k, m) : noise(on, dtype, 1, m, k);
        }

        CpuTensor b(TestDevice on, DType dtype, int n, int k) {
            return this == NT ? noise(on, dtype, 2, n, k) : noise(on, dtype, 2, k, n);
        }

        int aIndex(int m, int k, int i, int p) {
            return this == TN ? p * m + i : i * k + p;
        }

        int bIndex(int n, int k, int p, int j) {
            return this == NT ? j * k + p : p * n + j;
        }
    }

    private static final int[] SIZES = {1, 3, 17, 63, 64, 65, 129, 257};
    private static final DType[] TYPES = {FP32, BF16};

    private static final TestDevice VECTOR = new TestDevice(2, "vector");

    @AfterAll
    static void close() {
        VECTOR.close();
    }

    /** A Latin square: every pair of sizes of M and N, of N and K, and of M and K. */
    @ParameterizedTest
    @EnumSource
    void allSizesInFp32(Form form) {
        for (int i = 0; i < SIZES.length; i++) {
            for (int j = 0; j < SIZES.length; j++) {
                int k = SIZES[(i + j) % SIZES.length];
                check(VECTOR, form, FP32, FP32, FP32, SIZES[i], SIZES[j], k, (i + j) % 2 == 0);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void allTypes(Form form) {
        int combination = 0;
        for (DType a : TYPES) {
            for (DType b : TYPES) {
                for (DType c : TYPES) {
                    for (int i = 0; i < SIZES.length; i++) {
                        int n = SIZES[(i + combination) % SIZES.length];
                        int k = SIZES[(3 * i + combination) % SIZES.length];
                        check(VECTOR, form, a, b, c, SIZES[i], n, k, i % 2 == 0);
                    }
                    combination++;
                }
            }
        }
    }

    /** Larger than one block of k, one tile of rows and one tile of columns. */
    @ParameterizedTest
    @EnumSource
    void severalBlocks(Form form) {
        for (DType c : TYPES) {
            check(VECTOR, form, FP32, BF16, c, 55, 550, 500, true);
            check(VECTOR, form, BF16, FP32, c, 131, 70, 769, false);
        }
    }

    /** Larger than the memory for packed b in both directions. */
    @Test
    void severalSpans() {
        check(VECTOR, Form.NN, FP32, FP32, FP32, 7, 530, 9001, true);
        check(VECTOR, Form.NT, FP32, FP32, FP32, 5, 8300, 300, false);
        check(VECTOR, Form.TN, FP32, FP32, BF16, 5, 150, 18000, true);
    }

    @ParameterizedTest
    @EnumSource
    void referenceInAllTypes(Form form) {
        try (TestDevice reference = new TestDevice(2, "reference")) {
            for (DType c : TYPES) {
                check(reference, form, FP32, BF16, c, 17, 3, 65, true);
            }
            check(reference, form, FP64, FP64, FP64, 5, 17, 63, true);
            check(VECTOR, form, FP64, FP64, FP64, 17, 5, 63, false);
        }
    }

    /** Values in [-1, 1), cheap to make. */
    private static CpuTensor noise(TestDevice on, DType dtype, long seed, long... dims) {
        SplittableRandom random = new SplittableRandom(seed);
        return on.tensor(dtype, i -> random.nextInt() * 0x1p-31, dims);
    }

    private static void check(
            TestDevice on, Form form, DType aType, DType bType, DType cType, int m, int n, int k, boolean accumulate) {
        CpuTensor a = form.a(on, aType, m, k);
        CpuTensor b = form.b(on, bType, n, k);
        CpuTensor c = noise(on, cType, 3, m, n);
        double[] aRows = rows(TestDevice.values(a), m, k, (i, p) -> form.aIndex(m, k, i, p));
        double[] bColumns = rows(TestDevice.values(b), n, k, (j, p) -> form.bIndex(n, k, p, j));
        double[] before = TestDevice.values(c);
        form.multiply(on, a, b, c, accumulate);
        double[] found = TestDevice.values(c);
        double unit = cType == FP64 ? 0x1p-53 : 0x1p-24;
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double sum = accumulate ? before[i * n + j] : 0;
                double size = Math.abs(sum);
                for (int p = 0; p < k; p++) {
                    double product = aRows[i * k + p] * bColumns[j * k + p];
                    sum += product;
                    size += Math.abs(product);
                }
                // A sum's rounding error is below (K + 1) units of the size of its terms; in practice it grows like the
                // root of K.
                double tolerance = 4 * unit * Math.sqrt(k + 1) * size + (cType == BF16 ? 0x1p-8 * Math.abs(sum) : 0);
                double actual = found[i * n + j];
                if (!(Math.abs(actual - sum) <= tolerance)) {
                    throw new AssertionError(form + " " + aType + " " + bType + " " + cType + " M=" + m + " N=" + n
                            + " K=" + k + " at " + i + ", " + j + ": expected " + sum + ", is " + actual);
                }
            }
        }
        a.close();
        b.close();
        c.close();
    }

    /** An operand with its elements in the order of k. */
    private static double[] rows(double[] stored, int rows, int k, IntBinaryOperator index) {
        var values = new double[rows * k];
        for (int row = 0; row < rows; row++) {
            for (int p = 0; p < k; p++) {
                values[row * k + p] = stored[index.applyAsInt(row, p)];
            }
        }
        return values;
    }

    @ParameterizedTest
    @EnumSource
    void numberOfWorkersChangesNoBit(Form form) {
        for (DType type : TYPES) {
            List<double[]> results = new ArrayList<>();
            for (int workers : new int[] {1, 2, 3, 5}) {
                try (TestDevice on = new TestDevice(workers, "vector")) {
                    CpuTensor c = noise(on, type, 3, 203, 131);
                    form.multiply(on, form.a(on, FP32, 203, 500), form.b(on, type, 131, 500), c, true);
                    results.add(TestDevice.values(c));
                }
            }
            results.forEach(result -> assertArrayEquals(results.getFirst(), result));
        }
    }

    /** A tensor-parallel rank that sends its rows in pieces multiplies piece by piece. */
    @ParameterizedTest
    @EnumSource(names = {"NT", "NN"})
    void partsOfTheRowsGiveTheSameBits(Form form) {
        int m = 130;
        int n = 77;
        int k = 700;
        CpuTensor a = form.a(VECTOR, FP32, m, k);
        CpuTensor b = form.b(VECTOR, FP32, n, k);
        CpuTensor whole = VECTOR.tensor(FP32, i -> 0, m, n);
        CpuTensor parts = VECTOR.tensor(FP32, i -> 0, m, n);
        form.multiply(VECTOR, a, b, whole, false);
        int[] borders = {0, 1, 8, 71, 72, 130};
        for (int i = 1; i < borders.length; i++) {
            int first = borders[i - 1];
            int count = borders[i] - first;
            form.multiply(VECTOR, a.rows(first, count), b, parts.rows(first, count), false);
        }
        assertArrayEquals(TestDevice.values(whole), TestDevice.values(parts));
    }

    /** Text generation multiplies one token with weights that a prompt multiplies with all of its tokens: the logits must not differ. */
    @Test
    void fewRowsGiveTheBitsOfMany() {
        for (int k : new int[] {1, 17, 2100}) {
            for (int n : new int[] {1, 65, 600}) {
                for (DType type : TYPES) {
                    for (boolean accumulate : new boolean[] {false, true}) {
                        compareFewRows(type, n, k, accumulate);
                    }
                }
            }
        }
    }

    private static void compareFewRows(DType type, int n, int k, boolean accumulate) {
        int most = 13;
        CpuTensor a = Form.NT.a(VECTOR, FP32, most, k);
        CpuTensor b = Form.NT.b(VECTOR, type, n, k);
        CpuTensor all = noise(VECTOR, type, 3, most, n);
        CpuTensor few = noise(VECTOR, type, 3, most, n);
        Form.NT.multiply(VECTOR, a, b, all, accumulate);
        for (int[] rows : new int[][] {{0, 1}, {1, 2}, {3, 4}, {7, 6}}) {
            Form.NT.multiply(VECTOR, a.rows(rows[0], rows[1]), b, few.rows(rows[0], rows[1]), accumulate);
        }
        assertArrayEquals(TestDevice.values(all), TestDevice.values(few), "K=" + k + " N=" + n + " " + type);
        List.of(a, b, all, few).forEach(CpuTensor::close);
    }

    @Test
    void writesOnlyTheResult() {
        for (DType type : TYPES) {
            CpuTensor room = VECTOR.tensor(type, i -> 7, 4, 19, 21);
            Form.NT.multiply(
                    VECTOR,
                    Form.NT.a(VECTOR, FP32, 19, 5),
                    Form.NT.b(VECTOR, FP32, 21, 5),
                    room.rows(1, 1).reshape(19, 21),
                    false);
            double[] values = TestDevice.values(room);
            for (int i = 0; i < values.length; i++) {
                assertEquals(i / (19 * 21) != 1, values[i] == 7, "at " + i);
            }
        }
    }

    @Test
    void emptySumIsZero() {
        CpuTensor a = VECTOR.tensor(FP32, i -> 1, 3, 0);
        CpuTensor b = VECTOR.tensor(FP32, i -> 1, 2, 0);
        CpuTensor c = VECTOR.tensor(FP32, i -> i, 3, 2);
        Form.NT.multiply(VECTOR, a, b, c, true);
        assertArrayEquals(new double[] {0, 1, 2, 3, 4, 5}, TestDevice.values(c));
        Form.NT.multiply(VECTOR, a, b, c, false);
        assertArrayEquals(new double[6], TestDevice.values(c));
        Form.NT.multiply(
                VECTOR, VECTOR.tensor(FP32, i -> 1, 0, 4), VECTOR.tensor(FP32, i -> 1, 2, 4), c.rows(0, 0), false);
    }

    @Test
    void higherRanksCountAsMatrices() {
        CpuTensor a = VECTOR.tensor(FP32, i -> i, 2, 3, 4);
        CpuTensor b = VECTOR.tensor(FP32, i -> 1, 1, 4);
        CpuTensor c = VECTOR.tensor(FP32, i -> 0, 2, 3, 1);
        Form.NT.multiply(VECTOR, a, b, c, false);
        assertArrayEquals(new double[] {6, 22, 38, 54, 70, 86}, TestDevice.values(c));
    }

    @Test
    void infinityAndNanPropagate() {
        for (DType type : TYPES) {
            CpuTensor a = VECTOR.tensor(type, i -> i == 0 ? Double.POSITIVE_INFINITY : i == 9 ? Double.NaN : 1, 3, 5);
            CpuTensor c = VECTOR.tensor(type, i -> 0, 3, 2);
            Form.NT.multiply(VECTOR, a, VECTOR.tensor(type, i -> 1, 2, 5), c, false);
            double[] expected = {Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Double.NaN, Double.NaN, 5, 5};
            assertArrayEquals(expected, TestDevice.values(c));
        }
    }

    @Test
    void rejectsWrongOperandsByName() {
        CpuTensor a = VECTOR.tensor(FP32, i -> 1, 3, 5);
        CpuTensor b = VECTOR.tensor(FP32, i -> 1, 2, 5);
        CpuTensor c = VECTOR.tensor(FP32, i -> 1, 3, 2);
        assertNamed("bNK", a, VECTOR.tensor(FP32, i -> 1, 2, 4), c);
        assertNamed("cMN", a, b, VECTOR.tensor(FP32, i -> 1, 4, 2));
        assertNamed("aMK", VECTOR.tensor(INT32, i -> 1, 3, 5), b, c);
        assertNamed("bNK", a, VECTOR.tensor(FP64, i -> 1, 2, 5), c);
        assertNamed("cMN", a, b, VECTOR.tensor(INT32, i -> 1, 3, 2));
        assertNamed("aMK", null, b, c);
    }

    private static void assertNamed(String operand, Tensor a, Tensor b, Tensor c) {
        String message = assertThrows(IllegalArgumentException.class, () -> Form.NT.multiply(VECTOR, a, b, c, false))
                .getMessage();
        assertTrue(message.startsWith(operand + " "), message);
    }
}
