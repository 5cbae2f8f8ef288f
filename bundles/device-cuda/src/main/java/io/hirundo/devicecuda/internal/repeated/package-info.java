/**
 * Work that comes again and again, as the steps of a training do: what of it is the same each time goes to the GPU in CUDA graphs.
 * Nobody promises that it is the same. What is asked for is held against what was asked for the last time, call by call, and a graph
 * is launched when all of its calls have been asked for again; what differs is done as without graphs.
 */
package io.hirundo.devicecuda.internal.repeated;
