/** AdamW and the norms of gradients: a scalar reference and a Vector API version. */
package io.hirundo.devicecpu.internal.optimizer;
