/** Kernel and copy times, compared with PyTorch's. */
package io.hirundo.gpusuite.internal.bench;
