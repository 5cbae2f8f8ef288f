package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.device.Device;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs cases on the reference and on the device under test, and compares the results element by element. */
public final class KernelComparison implements AutoCloseable {
    /** The relative spacing of BF16 numbers: both sides round, from sums in FP64 and in FP32. */
    private static final double BF16_SPACING = 0x1p-7;

    /** Minimum scale of a tensor's elements: if the terms of all sums cancel out, only their rounding errors remain. */
    private static final double MIN_SCALE = 0.01;

    private final Device reference;
    private final Device device;
    private final Encoding encoding;

    public KernelComparison(Device reference, Device device) {
        this.reference = reference;
        this.device = device;
        this.encoding = new Encoding(reference);
    }

    record Output(DType dtype, double[] values) {}

    /** What a case has computed on a device. */
    public record Outputs(List<Output> all) {}

    /** The first difference above the case's tolerance; empty if there is none. */
    public Optional<String> difference(KernelCase kernelCase) {
        return difference(kernelCase, onReference(kernelCase), onDevice(kernelCase));
    }

    /** As {@link #difference(KernelCase)}, of outputs that are there already. */
    public static Optional<String> difference(KernelCase kernelCase, Outputs expected, Outputs actual) {
        for (int i = 0; i < expected.all.size(); i++) {
            var difference = difference(kernelCase.tolerance(), expected.all.get(i), actual.all.get(i).values);
            if (difference.isPresent()) {
                return Optional.of("result " + i + difference.get());
            }
        }
        return Optional.empty();
    }

    public Outputs onReference(KernelCase kernelCase) {
        return run(kernelCase, reference);
    }

    public Outputs onDevice(KernelCase kernelCase) {
        return run(kernelCase, device);
    }

    private Outputs run(KernelCase kernelCase, Device on) {
        try (CaseTensors tensors = new CaseTensors(on, encoding)) {
            List<Output> outputs = new ArrayList<>();
            for (Tensor tensor : kernelCase.body().run(tensors, on.kernels())) {
                outputs.add(new Output(tensor.dtype(), tensors.values(tensor)));
            }
            return new Outputs(outputs);
        }
    }

    private static Optional<String> difference(double tolerance, Output expected, double[] actual) {
        double allowed = tolerance > 0 && expected.dtype == DType.BF16 ? Math.max(tolerance, BF16_SPACING) : tolerance;
        double squares = 0;
        for (double value : expected.values) {
            squares += Double.isFinite(value) ? value * value : 0;
        }
        double size = Math.max(MIN_SCALE, Math.sqrt(squares / Math.max(1, expected.values.length)));
        for (int i = 0; i < actual.length; i++) {
            double value = expected.values[i];
            double found = actual[i];
            boolean same = Double.compare(value, found) == 0;
            boolean close = Math.abs(value - found) <= allowed * (Math.abs(value) + size);
            if (!same && !(allowed > 0 && close && Double.isFinite(value))) {
                return Optional.of(" at " + i + ": expected " + value + ", is " + found);
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        encoding.close();
    }
}
