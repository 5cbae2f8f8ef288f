/**
 * Kernels with which optimizers update weights: AdamW in FP32 and with 8-bit moments, norms and clipping, stochastic rounding to BF16.
 */
@Export
@Version("0.28.0")
package io.hirundo.kernel.optimizer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
