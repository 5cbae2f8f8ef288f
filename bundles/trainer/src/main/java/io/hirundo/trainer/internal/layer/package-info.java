/** The plain layers of a model on one device: kernels for the activations, the precision strategy for the matrices. */
package io.hirundo.trainer.internal.layer;
