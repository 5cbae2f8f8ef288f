package io.hirundo.precision.support;

import io.hirundo.kernel.PieceScaledKernels;
import io.hirundo.kernel.ScaleRule;

/** How an {@link OperandQuantizer} with square blocks of weights quantizes a weight piece by piece. */
public record WeightPieces(PieceScaledKernels kernels, ScaleRule rule) {}
