package io.hirundo.testkit.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.OnDevice;
import java.util.ArrayList;

/** Clauses on capture and replay of repeated work. */
public interface RepetitionClauses extends OnDevice {
    @Clause(
            value = "Work in a repetition gives the results of plain work each time, also where it changes",
            remedy =
                    "Queue.repetition(): compare the captured sequence with the current one: operands, kernels, allocations "
                            + "and their sizes; tensors may outlive the section, and the host may read within it")
    default void repeatedWorkIsDoneAsAsked(Bench bench) {
        var plain = new RepeatedWork(bench);
        var repeated = new RepeatedWork(bench);
        for (int round = 0; round < RepeatedWork.ROUNDS; round++) {
            plain.prepare(round);
            repeated.prepare(round);
            double[] expected = plain.once(round);
            double[] found;
            try (var _ = bench.queue().repetition("work")) {
                found = repeated.once(round);
            }
            if (bench.device().computes()) {
                assertArrayEquals(expected, found, "in the middle of round " + round);
                assertArrayEquals(plain.read(), repeated.read(), "after round " + round);
            }
        }
        plain.close();
        repeated.close();
    }

    /** Work that changes in some rounds and stays the same in those between. */
    final class RepeatedWork {
        static final int ROUNDS = 54;
        private static final int ELEMENTS = 700;

        private final Bench bench;
        private final Tensor input;
        private final Tensor sum;
        private final Tensor otherSum;
        private final ArrayList<Tensor> lasting = new ArrayList<>();

        RepeatedWork(Bench bench) {
            this.bench = bench;
            input = bench.tensor(DType.FP32, ELEMENTS);
            sum = bench.tensor(DType.FP32, i -> 0, ELEMENTS);
            otherSum = bench.tensor(DType.FP32, i -> 0, ELEMENTS);
        }

        /** New values in the same memory. */
        void prepare(int round) {
            bench.write(input, i -> (i * 7 + round * 13) % 50);
        }

        /** What the host reads within the section; null if it does not read. */
        double[] once(int round) {
            ElementwiseKernels kernels = bench.device().kernels().elementwise();
            Tensor first = take(ELEMENTS);
            kernels.copy(bench.queue(), input, first);
            // Operands change, some for one round and some from a round on.
            kernels.scale(bench.queue(), first, round == 8 ? 3 : 0.5);
            Tensor second = take(round < 28 ? ELEMENTS : 3 * ELEMENTS);
            kernels.fill(bench.queue(), second, round < 12 ? 2 : 5);
            kernels.add(bench.queue(), second.view(0, first.shape()), first);
            double[] read = round == 24 ? bench.read(first) : null;
            second.close();
            for (int i = 0; i < (round == 0 || round == 36 ? 1 : 3); i++) {
                kernels.add(bench.queue(), first, round == 44 ? otherSum : sum);
            }
            if (round == 16 || round > 46) {
                lasting.add(first);
            } else {
                first.close();
            }
            if (round > 50) {
                lasting.removeFirst().close();
            }
            return read;
        }

        private Tensor take(int elements) {
            Device device = bench.device();
            return device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(elements), DType.FP32);
        }

        /** All current values. */
        double[][] read() {
            var all = new ArrayList<double[]>();
            all.add(bench.read(sum));
            all.add(bench.read(otherSum));
            lasting.forEach(tensor -> all.add(bench.read(tensor)));
            return all.toArray(double[][]::new);
        }

        void close() {
            lasting.forEach(Tensor::close);
        }
    }
}
