/** Layers of a model on one device without tensor parallelism: device kernels for elementwise work, the precision strategy for GEMMs. */
package io.hirundo.trainer.internal.layer;
