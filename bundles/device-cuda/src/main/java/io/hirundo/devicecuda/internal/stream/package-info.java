/** Queues as CUDA streams: launches, kernel times, host transfers, and capture of repeated work in graphs. */
package io.hirundo.devicecuda.internal.stream;
