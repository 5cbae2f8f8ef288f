package io.hirundo.devicecpu.internal.gemm;

/** Says what multiplies when it first does: a training's log is not open yet when its device is. */
public final class AnnouncedGemm extends OperandGemm {
    private final OperandGemm gemm;
    private final Runnable announcement;

    /** @param announcement called before every GEMM, and says something only once */
    public AnnouncedGemm(OperandGemm gemm, Runnable announcement) {
        this.gemm = gemm;
        this.announcement = announcement;
    }

    @Override
    public void multiply(GemmOperands operands, boolean accumulate) {
        announcement.run();
        gemm.multiply(operands, accumulate);
    }

    @Override
    public void close() {
        gemm.close();
    }
}
