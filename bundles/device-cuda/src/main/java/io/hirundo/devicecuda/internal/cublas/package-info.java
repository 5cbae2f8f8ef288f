/** cuBLASLt: its library, the algorithm chosen for a GEMM, and the objects that belong to it. */
package io.hirundo.devicecuda.internal.cublas;
