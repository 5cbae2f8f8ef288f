package io.hirundo.devicecuda.internal.kernel.gemm;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.CublasLtGemms;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * GEMMs by cuBLASLt, by the own tensor-core kernels, or by the naive kernels of {@code gemm.cu}, whichever supports the operands first. The
 * naive kernels read operands by strides, so one kernel serves all three layouts.
 *
 * @param cublasLt cuBLASLt; empty if it is not available
 */
public record CudaGemm(Modules modules, Optional<CublasLtGemms> cublasLt, WarpgroupGemms warpgroups)
        implements GemmKernels {
    private static final String FILE = "gemm";
    private static final long TILE = 64;

    @Override
    public void multiplyNT(Queue queue, Tensor aMK, Tensor bNK, Tensor cMN, boolean accumulate) {
        multiply(queue, new Operand("aMK", aMK, false), new Operand("bNK", bNK, true), cMN, accumulate);
    }

    @Override
    public void multiplyNN(Queue queue, Tensor aMK, Tensor bKN, Tensor cMN, boolean accumulate) {
        multiply(queue, new Operand("aMK", aMK, false), new Operand("bKN", bKN, false), cMN, accumulate);
    }

    @Override
    public void multiplyTN(Queue queue, Tensor aKM, Tensor bKN, Tensor cMN, boolean accumulate) {
        multiply(queue, new Operand("aKM", aKM, true), new Operand("bKN", bKN, false), cMN, accumulate);
    }

    /** An operand and whether it is transposed. */
    private record Operand(String name, Tensor tensor, boolean transposed) {
        CudaTensor checked(DType... allowed) {
            return CudaTensor.CHECK.of(name, tensor, allowed);
        }

        CublasLtGemms.Operand asStored(CudaTensor checked) {
            return CublasLtGemms.Operand.of(checked, transposed);
        }

        long rows() {
            return transposed ? tensor.shape().columns() : tensor.shape().rows();
        }

        long columns() {
            return transposed ? tensor.shape().rows() : tensor.shape().columns();
        }

        long rowStride() {
            return transposed ? 1 : tensor.shape().columns();
        }

        long columnStride() {
            return transposed ? tensor.shape().columns() : 1;
        }
    }

    private boolean byLibrary(
            Queue queue, CublasLtGemms.Operand a, CublasLtGemms.Operand b, CudaTensor c, boolean accumulate) {
        DType typeA = a.values().dtype();
        DType typeB = b.values().dtype();
        // Only dtypes for which the library has tensor-core kernels or at least fast kernels.
        boolean allFp32 = typeA == DType.FP32 && typeB == DType.FP32 && c.dtype() == DType.FP32;
        if (!allFp32 && (typeA != DType.BF16 || typeB != DType.BF16)) {
            cublasLt.orElseThrow().own(typeA + " and " + typeB + " to " + c.dtype());
            return false;
        }
        return cublasLt.orElseThrow().multiply(queue, a, b, c, accumulate);
    }

    private void multiply(Queue queue, Operand a, Operand b, Tensor cMN, boolean accumulate) {
        CudaTensor c = CudaTensor.CHECK.floating("cMN", cMN);
        DType[] allowed = c.dtype() == DType.FP64 ? new DType[] {DType.FP64} : new DType[] {DType.FP32, DType.BF16};
        CudaTensor checkedA = a.checked(allowed);
        CudaTensor checkedB = b.checked(allowed);
        long m = a.rows();
        long n = c.shape().columns();
        long k = a.columns();
        CudaTensor.CHECK.matrix("cMN", cMN, m, n);
        CudaTensor.CHECK.matrix(b.name, b.tensor, b.transposed ? n : k, b.transposed ? k : n);
        if (m * n * k > 0
                && cublasLt.isPresent()
                && byLibrary(queue, a.asStored(checkedA), b.asStored(checkedB), c, accumulate)) {
            return;
        }
        if (m * n * k > 0
                && warpgroups.multiplyBf16(queue, checkedA, a.transposed, checkedB, b.transposed, c, k, accumulate)) {
            return;
        }
        modules.launch(
                        queue,
                        FILE,
                        "multiply" + CudaTensor.suffix(checkedA) + CudaTensor.suffix(checkedB) + CudaTensor.suffix(c))
                .tensor(checkedA)
                .integer(a.rowStride())
                .integer(a.columnStride())
                .tensor(checkedB)
                .integer(b.rowStride())
                .integer(b.columnStride())
                .tensor(c)
                .integer(m)
                .integer(n)
                .integer(k)
                .flag(accumulate)
                .run(Math.ceilDiv(n, TILE), Math.ceilDiv(m, TILE), Grid.THREADS);
    }
}
