/** Trainings in CUDA graphs and without. */
package io.hirundo.devicecuda.internal.suite.graphs;
