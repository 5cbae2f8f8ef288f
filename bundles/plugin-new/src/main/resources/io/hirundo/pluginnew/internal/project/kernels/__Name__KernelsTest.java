package __package__;

import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.KernelContract;
import io.hirundo.testkit.bench.Bench;
import java.util.List;

/** The contract of kernels, one test per clause: those for {@code cpu} compute what the composed ones do. */
@HirundoContract
class __Name__KernelsTest implements KernelContract<__Name__Kernels> {
    @Override
    public KernelProvider<__Name__Kernels> provider() {
        return new __Name__Cpu();
    }

    @Override
    public KernelProvider<__Name__Kernels> reference() {
        return new __Name__Composed();
    }

    @Override
    public List<Tensor> call(__Name__Kernels kernels, Bench bench, DType dtype, long rows, long columns) {
        Tensor x = bench.tensor(dtype, i -> Math.sin(i), rows, columns);
        Tensor dy = bench.tensor(dtype, i -> Math.cos(3 * i), rows, columns);
        Tensor y = bench.tensor(dtype, rows, columns);
        Tensor dx = bench.tensor(dtype, rows, columns);
        kernels.forward(bench.queue(), x, y);
        kernels.backward(bench.queue(), x, dy, dx);
        return List.of(y, dx);
    }
}
