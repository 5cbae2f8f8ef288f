package io.hirundo.testkit.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.KernelContract;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Summands;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Kernels with one defect each, and the clause that detects it. */
class KernelMutantsTest {
    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.exactly(KernelMutantsTest.class, KernelContract.class);
    }

    @Test
    void correctKernelsPass() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
        assertEquals(Map.of(), Mutants.failures(Composed.class));
    }

    @HirundoContract
    static class Sound implements KernelContract<Relu> {
        @Override
        public KernelProvider<Relu> provider() {
            return new HostRelu();
        }

        @Override
        public KernelProvider<Relu> reference() {
            return new ComposedRelu();
        }

        @Override
        public List<DType> dtypes() {
            return List.of(DType.FP32);
        }

        @Override
        public List<Tensor> call(Relu kernels, Bench bench, DType dtype, long rows, long columns) {
            Tensor x = bench.tensor(dtype, i -> Summands.value(0, i) - Summands.value(1, i), rows, columns);
            Tensor dy = bench.tensor(dtype, i -> Summands.value(2, i), rows, columns);
            Tensor y = bench.tensor(dtype, rows, columns);
            Tensor dx = bench.tensor(dtype, rows, columns);
            Tensor sum = bench.tensor(dtype, 1);
            kernels.forward(bench.queue(), x, y);
            kernels.backward(bench.queue(), x, dy, dx);
            kernels.sum(bench.queue(), x, sum);
            return List.of(y, dx, sum);
        }
    }

    @HirundoContract
    static class Composed extends Sound {
        @Override
        public KernelProvider<Relu> provider() {
            return new ComposedRelu();
        }

        @Override
        public List<DType> dtypes() {
            return List.of(DType.FP64, DType.FP32, DType.BF16);
        }
    }

    @Breaks("resultsAreThoseOfTheReference")
    @HirundoContract
    static class LeavesOutTheLastElement extends Sound {
        @Override
        public KernelProvider<Relu> provider() {
            return new HostRelu() {
                @Override
                long computed(long elements) {
                    return elements - 1;
                }
            };
        }
    }

    @Breaks("resultsAreThoseOfTheReference")
    @HirundoContract
    static class ComparesNothing extends Sound {
        @Override
        public List<Tensor> call(Relu kernels, Bench bench, DType dtype, long rows, long columns) {
            return List.of();
        }
    }

    @Breaks("resultsAreThoseOfTheReference")
    @HirundoContract
    static class ReturnsMoreElements extends Composed {
        @Override
        public KernelProvider<Relu> reference() {
            return new HostRelu();
        }

        @Override
        public List<DType> dtypes() {
            return List.of(DType.FP32);
        }

        @Override
        public List<Tensor> call(Relu kernels, Bench bench, DType dtype, long rows, long columns) {
            boolean composed =
                    kernels.getClass() == provider().open(bench.device()).getClass();
            return List.of(bench.tensor(dtype, _ -> 0, composed ? 2 : 1));
        }
    }

    @Breaks("orderOfTasksDoesNotMatter")
    @HirundoContract
    static class AddsSumsAsTheyCome extends Sound {
        @Override
        public KernelProvider<Relu> provider() {
            return new HostRelu() {
                @Override
                void add(float[] total, float[] sums, int task, float sum) {
                    total[0] += sum;
                }
            };
        }
    }

    @Breaks("plansCountTheMemoryOfRuns")
    @HirundoContract
    static class AllocatesOnlyWhereItComputes extends Sound {
        @Override
        public KernelProvider<Relu> provider() {
            return new HostRelu() {
                @Override
                boolean allocates(Device device) {
                    return device.computes();
                }
            };
        }
    }
}
