/** The CUDA driver: contexts, modules, graphs, tensor maps. Calls go through JCuda, or directly where JCuda is slow or lacks a function. */
package io.hirundo.devicecuda.internal.driver;
