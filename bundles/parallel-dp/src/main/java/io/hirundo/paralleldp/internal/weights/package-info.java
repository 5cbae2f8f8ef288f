/**
 * The weights of a rank: master weights in slices, from which all ranks gather the weights that layers read, in the dtype or the
 * quantized form that the precision needs. All strategies build on it.
 */
package io.hirundo.paralleldp.internal.weights;
