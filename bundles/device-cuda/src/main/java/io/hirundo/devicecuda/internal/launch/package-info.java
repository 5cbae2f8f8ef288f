/** What kernel families need for launches: loaded modules, grids, variants of kernels, workspace, cuBLASLt GEMMs. */
package io.hirundo.devicecuda.internal.launch;
