/**
 * CUDA graph capture and replay of work that a queue gets again and again, as the steps of a training. Each call is
 * compared with the recorded one; a graph is launched when all of its calls have come again, and what differs runs
 * without graphs.
 */
package io.hirundo.devicecuda.internal.graph;
