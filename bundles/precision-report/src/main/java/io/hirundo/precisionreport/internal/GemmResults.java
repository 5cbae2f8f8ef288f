package io.hirundo.precisionreport.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.precision.StoredOperandGemms;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.train.RunInspector.LayerOperands;

/** The results of a layer's three GEMMs, on the host. */
final class GemmResults {
    private final float[] yTN;
    private final float[] dxTK;
    private final float[] dwNK;
    private final int outputs;
    private final int inputs;

    private GemmResults(float[] yTN, float[] dxTK, float[] dwNK, int outputs, int inputs) {
        this.yTN = yTN;
        this.dxTK = dxTK;
        this.dwNK = dwNK;
        this.outputs = outputs;
        this.inputs = inputs;
    }

    /** Exact ones, in FP32. */
    static GemmResults exact(LayerOperands layer) {
        try (LinearMath math = new StoredOperandGemms(layer.device(), layer.shape(), DType.FP32, DType.FP32)) {
            return of(layer, math, DType.FP32);
        }
    }

    /** {@code type}: of activations. Parameters are FP32. */
    static GemmResults of(LayerOperands layer, LinearMath math, DType type) {
        Device device = layer.device();
        Queue queue = layer.queue();
        try (Typed w = Typed.of(layer, layer.wNK(), DType.FP32);
                Typed x = Typed.of(layer, layer.xTK(), type);
                Typed dy = Typed.of(layer, layer.dyTN(), type);
                PreparedWeight prepared = math.prepare(queue, w.tensor(), null);
                Tensor yTN =
                        device.allocate(MemoryCategory.WORKSPACE, layer.dyTN().shape(), type);
                Tensor dxTK =
                        device.allocate(MemoryCategory.WORKSPACE, layer.xTK().shape(), type);
                Tensor dwNK =
                        device.allocate(MemoryCategory.WORKSPACE, layer.wNK().shape(), DType.FP32)) {
            device.kernels().elementwise().fill(queue, dwNK, 0);
            math.forward(queue, x.tensor(), prepared, yTN);
            math.inputGradient(queue, dy.tensor(), prepared, dxTK);
            math.weightGradient(queue, dy.tensor(), x.tensor(), dwNK);
            return new GemmResults(
                    HostValues.read(device, queue, yTN),
                    HostValues.read(device, queue, dxTK),
                    HostValues.read(device, queue, dwNK),
                    Math.toIntExact(layer.shape().outputs()),
                    Math.toIntExact(layer.shape().inputs()));
        }
    }

    /** Relative errors against exact results. */
    Figures.Errors errors(GemmResults exact) {
        return new Figures.Errors(
                Distance.ofRows(exact.yTN, yTN, outputs),
                Distance.ofRows(exact.dxTK, dxTK, inputs),
                Distance.ofColumns(exact.dwNK, dwNK, inputs));
    }
}
