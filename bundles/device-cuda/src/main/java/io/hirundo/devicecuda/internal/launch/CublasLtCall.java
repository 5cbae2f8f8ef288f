package io.hirundo.devicecuda.internal.launch;

import io.hirundo.devicecuda.internal.cublas.CublasLtPlan;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.graph.Call;

/** A GEMM by cuBLASLt with the addresses of its operands, as in {@link CublasLtPlan#run}. */
record CublasLtCall(
        Context context,
        CublasLtPlan plan,
        long a,
        long scalesA,
        long b,
        long scalesB,
        long d,
        boolean accumulates,
        long workspace)
        implements Call.Asked {
    @Override
    public void submit(Handles.Stream stream) {
        synchronized (plan) {
            context.makeCurrent();
            plan.run(a, scalesA, b, scalesB, d, accumulates, workspace, stream);
        }
    }

    @Override
    public Call kept() {
        return this;
    }

    @Override
    public boolean isLike(Call kept) {
        return kept instanceof CublasLtCall other && plan == other.plan && accumulates == other.accumulates;
    }

    @Override
    public boolean hasOperandsOf(Call kept) {
        return equals(kept);
    }

    /** For example {@code BF16 [16384, 4096] x BF16 [2048, 4096]^T to FP32}. */
    @Override
    public String toString() {
        return plan.toString();
    }
}
