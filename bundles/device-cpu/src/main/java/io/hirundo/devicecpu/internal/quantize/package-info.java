/**
 * FP8 quantizers with one scale per 1x128 block, 128x128 block or matrix, also of shards, and the kernels that multiply
 * their results: scalar references and Vector API versions.
 */
package io.hirundo.devicecpu.internal.quantize;
