package io.hirundo.devicecpu.internal.mlp;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.PairLanes;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.function.BiFunction;

/**
 * Gated MLPs with the Vector API: for FP32, for SwiGLU of BF16 in {@link SiluPairs}, and for other BF16, widened chunk by chunk. FP64 goes to
 * {@link ReferenceGatedMlp}.
 */
public final class VectorGatedMlp implements GatedMlpKernels {
    private final WorkerPool pool;
    private final ReferenceGatedMlp reference = new ReferenceGatedMlp();

    public VectorGatedMlp(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public boolean supports(GateActivation activation) {
        return true;
    }

    @Override
    public void forward(Queue queue, GateActivation activation, Tensor gateUpT2F, Tensor yTF) {
        GatedMlpOperands operands = GatedMlpOperands.of("yTF", yTF, gateUpT2F);
        if (!operands.isFast()) {
            reference.forward(queue, activation, gateUpT2F, yTF);
            return;
        }
        forEachChunk(operands, activation, (loops, scratch) -> {
            WideSpan gate = chunk(operands.gateUp(), scratch);
            WideSpan up = chunk(operands.gateUp(), scratch);
            WideSpan y = chunk(operands.inner(), scratch);
            return (atGate, atUp, atInner, count) -> {
                int pairs = pairs(operands, activation, count);
                if (pairs > 0) {
                    SiluPairs.forward(
                            address(operands.gateUp(), atGate),
                            address(operands.gateUp(), atUp),
                            pairs,
                            address(operands.inner(), atInner));
                }
                int rest = count - pairs;
                if (rest > 0) {
                    loops.forward(
                            gate.read(atGate + pairs, rest),
                            up.read(atUp + pairs, rest),
                            rest,
                            y.target(atInner + pairs));
                    y.store(atInner + pairs, rest);
                }
            };
        });
    }

    @Override
    public void backward(Queue queue, GateActivation activation, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
        GatedMlpOperands operands = GatedMlpOperands.of("dyTF", dyTF, gateUpT2F);
        if (!operands.isFast()) {
            reference.backward(queue, activation, dyTF, gateUpT2F, dGateUpT2F);
            return;
        }
        CpuTensor dGateUp = operands.fused("dGateUpT2F", dGateUpT2F);
        forEachChunk(operands, activation, (loops, scratch) -> {
            WideSpan gate = chunk(operands.gateUp(), scratch);
            WideSpan up = chunk(operands.gateUp(), scratch);
            WideSpan dy = chunk(operands.inner(), scratch);
            WideSpan dGate = chunk(dGateUp, scratch);
            WideSpan dUp = chunk(dGateUp, scratch);
            return (atGate, atUp, atInner, count) -> {
                int pairs = pairs(operands, activation, count);
                if (pairs > 0) {
                    var given = new GatedMlpLoops.Given(
                            address(operands.inner(), atInner),
                            address(operands.gateUp(), atGate),
                            address(operands.gateUp(), atUp));
                    SiluPairs.backward(given, pairs, address(dGateUp, atGate), address(dGateUp, atUp));
                }
                int rest = count - pairs;
                if (rest > 0) {
                    var given = new GatedMlpLoops.Given(
                            dy.read(atInner + pairs, rest),
                            gate.read(atGate + pairs, rest),
                            up.read(atUp + pairs, rest));
                    loops.backward(given, dGate.target(atGate + pairs), dUp.target(atUp + pairs), rest);
                    dGate.store(atGate + pairs, rest);
                    dUp.store(atUp + pairs, rest);
                }
            };
        });
    }

    /** Work on some channels of one token, by the indices of the first. */
    @FunctionalInterface
    private interface ChunkAction {
        void run(long atGate, long atUp, long atInner, int count);
    }

    private void forEachChunk(
            GatedMlpOperands operands,
            GateActivation activation,
            BiFunction<GatedMlpLoops, Scratch, ChunkAction> task) {
        int channels = operands.channels();
        Blocks.rows(pool, operands.tokens(), channels, (first, tokens, scratch) -> {
            ChunkAction action = task.apply(new GatedMlpLoops(activation, scratch), scratch);
            for (long token = first; token < first + tokens; token++) {
                for (int channel = 0; channel < channels; channel += GatedMlpLoops.CHUNK) {
                    long atGate = 2 * token * channels + channel;
                    int count = Math.min(GatedMlpLoops.CHUNK, channels - channel);
                    action.run(atGate, atGate + channels, token * channels + channel, count);
                }
            }
        });
    }

    /** How many channels of a chunk {@link SiluPairs} computes. */
    private static int pairs(GatedMlpOperands operands, GateActivation activation, int count) {
        return activation == GateActivation.SILU && operands.inner().dtype() == DType.BF16
                ? PairLanes.wholePairs(count)
                : 0;
    }

    private static long address(CpuTensor tensor, long element) {
        return tensor.address() + element * tensor.dtype().byteSize();
    }

    private static WideSpan chunk(CpuTensor tensor, Scratch scratch) {
        return WideSpan.of(tensor, GatedMlpLoops.CHUNK, scratch);
    }
}
