package io.hirundo.devicecuda.internal.launch;

import io.hirundo.DeviceException;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.cublas.CublasLt;
import io.hirundo.devicecuda.internal.cublas.CublasLtGemm;
import io.hirundo.devicecuda.internal.cublas.CublasLtPlan;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.stream.CudaQueue;
import io.hirundo.kernel.scaled.ScaleBlock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cuBLASLt GEMMs of a device. The first GEMM with given dtypes, extents and alignments chooses and logs the algorithm, which never
 * changes afterwards. Thread-safe.
 */
public final class CublasLtGemms implements AutoCloseable {
    /** NVIDIA's recommendation for Hopper. */
    public static final long WORKSPACE_BYTES = 32L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(CublasLtGemms.class);

    private final CublasLt library;
    private final Context context;
    private final Workspace workspace;
    private final Map<CublasLtGemm, Optional<CublasLtPlan>> plans = new HashMap<>();
    private final LogOnce log = new LogOnce();
    private long handle;

    /** {@code workspace}: at least {@link #WORKSPACE_BYTES}. */
    public CublasLtGemms(CublasLt library, Context context, Workspace workspace) {
        this.library = library;
        this.context = context;
        this.workspace = workspace;
    }

    /**
     * A row-major operand.
     *
     * @param scales scales of an FP8 matrix, one per {@code block}; both are null for other dtypes
     */
    public record Operand(CudaTensor values, boolean transposed, CudaTensor scales, ScaleBlock block) {
        public static Operand of(CudaTensor values, boolean transposed) {
            return new Operand(values, transposed, null, null);
        }

        private CublasLtGemm.Matrix at(long address) {
            return CublasLtGemm.Matrix.at(
                    address,
                    values.dtype(),
                    values.shape().columns(),
                    values.shape().rows(),
                    transposed,
                    block);
        }

        private long scalesOn(CudaQueue queue) {
            return scales == null ? 0 : scales.on(queue);
        }
    }

    /** Whether block-scaled FP8 matrices are supported. */
    public boolean hasBlockScales() {
        return library.hasBlockScales();
    }

    /**
     * {@code c = (accumulate ? c : 0) + left right}, with optional transposes.
     *
     * @return false if the library has no algorithm, or fails to choose one; logged once
     * @throws DeviceException if the GEMM fails
     */
    public boolean multiply(Queue queue, Operand left, Operand right, CudaTensor c, boolean accumulate) {
        CudaQueue cuda = CudaQueue.of(queue);
        long leftAt = left.values.on(cuda);
        long rightAt = right.values.on(cuda);
        long at = c.on(cuda);
        long leftScales = left.scalesOn(cuda);
        long rightScales = right.scalesOn(cuda);
        // In column-major order everything is transposed, so the operands change places.
        var product = new CublasLtGemm(
                right.at(rightAt), left.at(leftAt), Operand.of(c, false).at(at));
        boolean[] done = new boolean[1];
        workspace.use(queue, scratch -> {
            Optional<CublasLtPlan> plan = plans.computeIfAbsent(product, it -> plan(it, rightScales, leftScales));
            plan.ifPresent(it -> cuda.call(
                    new CublasLtCall(context, it, rightAt, rightScales, leftAt, leftScales, at, accumulate, scratch)));
            done[0] = plan.isPresent();
        });
        return done[0];
    }

    private Optional<CublasLtPlan> plan(CublasLtGemm product, long scalesA, long scalesB) {
        context.makeCurrent();
        if (handle == 0) {
            handle = library.handle();
        }
        Optional<CublasLtPlan> plan;
        try {
            plan = CublasLtPlan.find(library, handle, product, WORKSPACE_BYTES, scalesA, scalesB);
        } catch (DeviceException failure) {
            // Nothing was launched, and the own kernel can compute it. A broken device reports its error at the next
            // launch.
            LOG.warn(
                    "{}: cuBLASLt cannot choose an algorithm, the own kernel multiplies: {}",
                    product,
                    failure.getMessage());
            return Optional.empty();
        }
        plan.ifPresentOrElse(
                it -> LOG.info(
                        "{}: cuBLASLt, {} bytes of workspace, algorithm {}",
                        product,
                        it.workspaceBytes(),
                        it.algorithmText()),
                () -> LOG.warn("{}: cuBLASLt has no algorithm, the own kernel multiplies", product));
        return plan;
    }

    /** Logs once why a kind of GEMM does not use the library. */
    public void own(String kind) {
        log.info("products of " + kind + " are not for cuBLASLt, an own kernel multiplies");
    }

    @Override
    public void close() {
        context.makeCurrent();
        plans.values().forEach(plan -> plan.ifPresent(CublasLtPlan::close));
        plans.clear();
        if (handle != 0) {
            library.destroy("cublasLt", handle);
            handle = 0;
        }
    }
}
