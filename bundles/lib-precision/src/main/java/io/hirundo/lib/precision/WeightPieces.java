package io.hirundo.lib.precision;

import io.hirundo.kernel.scaled.PieceScaledKernels;
import io.hirundo.kernel.scaled.ScaleRule;

/** How an {@link OperandQuantizer} with square weight blocks quantizes a sharded weight. */
public record WeightPieces(PieceScaledKernels kernels, ScaleRule rule) {}
