/** Attention, and the split of fused rows with its rotation. */
package io.hirundo.devicecuda.internal.kernel.attention;
