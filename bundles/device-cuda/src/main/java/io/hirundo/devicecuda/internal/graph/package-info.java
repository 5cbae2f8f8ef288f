/**
 * CUDA graph capture and replay of repeated work of a queue, such as training steps. Each call is compared with the recorded one. A graph
 * is launched when all of its calls have occurred again; different calls run without graphs.
 */
package io.hirundo.devicecuda.internal.graph;
