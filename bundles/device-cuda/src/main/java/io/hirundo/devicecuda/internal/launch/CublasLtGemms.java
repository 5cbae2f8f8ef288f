package io.hirundo.devicecuda.internal.launch;

import io.hirundo.DeviceException;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.cublas.CublasLt;
import io.hirundo.devicecuda.internal.cublas.CublasLtGemm;
import io.hirundo.devicecuda.internal.cublas.CublasLtPlan;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.memory.Operands;
import io.hirundo.devicecuda.internal.stream.CudaQueue;
import io.hirundo.kernel.ScaleBlock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device's products by cuBLASLt. The algorithm for a product of these types, extents and alignments is chosen at the first, and
 * logged; from then on it is the same. Thread-safe.
 */
public final class CublasLtGemms implements AutoCloseable {
  /** What NVIDIA recommends for Hopper. */
  public static final long WORKSPACE_BYTES = 32L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(CublasLtGemms.class);

  private final CublasLt library;
  private final Context context;
  private final Workspace workspace;
  private final Map<CublasLtGemm, Optional<CublasLtPlan>> plans = new HashMap<>();
  private final LogOnce log = new LogOnce();
  private long handle;

  /** {@code workspace}: of {@link #WORKSPACE_BYTES}. */
  public CublasLtGemms(CublasLt library, Context context, Workspace workspace) {
    this.library = library;
    this.context = context;
    this.workspace = workspace;
  }

  /**
   * An operand, stored by rows.
   *
   * @param scales of an 8-bit matrix, for each {@code block}; both null for others
   */
  public record Operand(CudaTensor values, boolean transposed, CudaTensor scales, ScaleBlock block) {
    public static Operand of(CudaTensor values, boolean transposed) {
      return new Operand(values, transposed, null, null);
    }

    private CublasLtGemm.Matrix at(long address) {
      return CublasLtGemm.Matrix.at(
          address, values.dtype(), Operands.columnsOf(values), Operands.rowsOf(values), transposed, block);
    }

    private long scalesOn(CudaQueue queue) {
      return scales == null ? 0 : scales.on(queue);
    }
  }

  /** Whether 8-bit matrices with scales for blocks can be multiplied. */
  public boolean hasBlockScales() {
    return library.hasBlockScales();
  }

  /**
   * {@code c = (accumulate ? c : 0) + left right}, each as it is or transposed.
   *
   * @return false where the library has no algorithm for it, or fails to choose one; that is logged once
   * @throws DeviceException where it fails to multiply
   */
  public boolean multiply(Queue queue, Operand left, Operand right, CudaTensor c, boolean accumulate) {
    CudaQueue cuda = CudaQueue.of(queue);
    long leftAt = left.values.on(cuda);
    long rightAt = right.values.on(cuda);
    long at = c.on(cuda);
    long leftScales = left.scalesOn(cuda);
    long rightScales = right.scalesOn(cuda);
    // By columns everything is transposed; so are the factors, which change places.
    var product = new CublasLtGemm(right.at(rightAt), left.at(leftAt), Operand.of(c, false).at(at));
    boolean[] done = new boolean[1];
    workspace.use(
        queue,
        scratch -> {
          Optional<CublasLtPlan> plan = plans.computeIfAbsent(product, it -> plan(it, rightScales, leftScales));
          plan.ifPresent(it -> cuda.call(new CublasLtCall(context, it, rightAt, rightScales, leftAt, leftScales, at, accumulate, scratch)));
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
      // Nothing was begun, and the own kernel can do it. A device that is broken says so at the next launch.
      LOG.warn("{}: cuBLASLt cannot choose an algorithm, the own kernel multiplies: {}", product, failure.getMessage());
      return Optional.empty();
    }
    plan.ifPresentOrElse(
        it -> LOG.info("{}: cuBLASLt, {} bytes of workspace, algorithm {}", product, it.workspaceBytes(), it.algorithmText()),
        () -> LOG.warn("{}: cuBLASLt has no algorithm, the own kernel multiplies", product));
    return plan;
  }

  /** Says once why products of a kind are not asked of the library. */
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
