/**
 * oneDNN's matmul as a service. {@code OneDnn} is the service, {@code NativeFiles} unpacks and loads the library, {@code Library}
 * binds its C API, and {@code MatMul} is one prepared GEMM.
 */
package io.hirundo.gemmonednn.internal;
