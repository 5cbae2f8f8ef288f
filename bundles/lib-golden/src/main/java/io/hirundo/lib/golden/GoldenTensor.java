package io.hirundo.lib.golden;

import io.hirundo.tensor.Shape;

/** A stored tensor, widened to FP64, row-major. */
public record GoldenTensor(Shape shape, double[] values) {}
