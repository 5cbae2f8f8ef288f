/** Matrix products of the CPU device. */
package io.hirundo.devicecpu.internal.gemm;
