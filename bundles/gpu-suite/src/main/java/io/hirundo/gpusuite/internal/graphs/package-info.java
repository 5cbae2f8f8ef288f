/** Training with and without CUDA graphs: bitwise comparison of losses and norms, and step times. */
package io.hirundo.gpusuite.internal.graphs;
