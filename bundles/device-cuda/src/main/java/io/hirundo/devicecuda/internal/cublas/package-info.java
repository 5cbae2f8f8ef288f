/** cuBLASLt: the library, the algorithm chosen for a GEMM, and the objects of the library. */
package io.hirundo.devicecuda.internal.cublas;
