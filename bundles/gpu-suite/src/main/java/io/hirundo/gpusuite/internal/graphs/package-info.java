/** Trainings with CUDA graphs and without: losses and norms bitwise, and step times. */
package io.hirundo.gpusuite.internal.graphs;
