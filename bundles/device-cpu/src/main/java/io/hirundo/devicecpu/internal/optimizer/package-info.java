/** AdamW, also with moments in 8 bits, and the norms of gradients: a scalar reference and a Vector API version. */
package io.hirundo.devicecpu.internal.optimizer;
