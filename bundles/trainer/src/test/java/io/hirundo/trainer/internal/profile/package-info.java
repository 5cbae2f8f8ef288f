/** Times the kernels of a training step from outside: {@code benchmarks/roofline}. Nothing in the product pays for it. */
package io.hirundo.trainer.internal.profile;
