package io.hirundo.trainer.internal.layer;

/**
 * How far a layer's products under one strategy are from those under another: norm of the difference over norm.
 * Where the other strategy failed, the figures are of what it did before.
 *
 * @param layer name of the weight
 * @param output of the forward
 * @param inputGradient of the backward's first half
 * @param weightGradient of its second half
 * @param failure of the other strategy; empty where there was none
 */
public record ProductErrors(String layer, double output, double inputGradient, double weightGradient, String failure) {}
