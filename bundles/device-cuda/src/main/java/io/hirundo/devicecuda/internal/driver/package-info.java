/**
 * The CUDA driver: contexts, modules, graphs, tensor maps. Through JCuda, or directly where JCuda is slow or lacks a
 * call.
 */
package io.hirundo.devicecuda.internal.driver;
