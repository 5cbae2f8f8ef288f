package io.hirundo.fp8pertensor.internal;

import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.fp8pertensor.internal.LayerErrors.Errors;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import java.util.Locale;

/**
 * Errors of the products of a Llama-70B layer's matrices, whose inputs have outliers. Arguments: tokens, workers, a part of the
 * matrices' names, what their dimensions are divided by. Takes about 4 GB of memory.
 */
public final class LayerErrorsBenchmark {
    /** Of the projections to queries, keys and values (64 and 8 heads of 128), the output projection, gate or up, and down. */
    private static final int[][] MATRICES = {{10240, 8192}, {8192, 8192}, {28672, 8192}, {8192, 28672}};

    private static final String[] NAMES = {"qkv", "o", "gate, up", "down"};

    private LayerErrorsBenchmark() {}

    /** Runs the benchmark. */
    public static void main(String[] arguments) {
        int tokens = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 128;
        int workers = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2;
        String part = arguments.length > 2 ? arguments[2] : "";
        int divisor = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 1;
        System.out.println("| Matrix | Outliers | Strategy | y | dx | dw |\n|---|---|---|---|---|---|");
        for (int matrix = 0; matrix < MATRICES.length; matrix++) {
            for (double factor : NAMES[matrix].contains(part) ? new double[] {1e4, 1e5} : new double[0]) {
                int outputs = MATRICES[matrix][0] / divisor;
                int inputs = MATRICES[matrix][1] / divisor;
                compare(
                        NAMES[matrix] + " [" + outputs + ", " + inputs + "] | " + factor,
                        outputs,
                        inputs,
                        tokens,
                        workers,
                        factor);
            }
        }
    }

    private static void compare(String name, int outputs, int inputs, int tokens, int workers, double factor) {
        var massive = LayerErrors.massive(inputs, factor);
        try (var layer = new LayerErrors(workers, outputs, inputs, tokens, massive)) {
            var delayed = new Fp8DelayedFactory().create(new Fp8DelayedOptions());
            print(name, "bf16", layer.of(new Bf16Factory().create(new Bf16Options()), null));
            print(name, "fp8-blockwise", layer.of(new Fp8BlockwiseFactory().create(new Fp8BlockwiseOptions()), null));
            print(name, "fp8-current", layer.of(new Fp8CurrentFactory().create(new Fp8CurrentOptions()), null));
            print(name, "fp8-delayed, outliers before", layer.of(delayed, massive));
            print(name, "fp8-delayed, outliers new", layer.of(delayed, LayerErrors.normal(4, 1)));
        }
    }

    private static void print(String name, String strategy, Errors errors) {
        System.out.printf(
                Locale.ROOT,
                "| %s | %s | %.4f | %.4f | %.4f |%n",
                name,
                strategy,
                errors.output(),
                errors.inputGradient(),
                errors.weightGradient());
    }
}
