/** Queues as CUDA streams: launches, kernel times, host transfers, and which of a queue's work is captured in graphs. */
package io.hirundo.devicecuda.internal.stream;
