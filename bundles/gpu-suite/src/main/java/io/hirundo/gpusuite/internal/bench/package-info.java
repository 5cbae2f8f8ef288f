/** Kernel and copy times, compared with PyTorch. */
package io.hirundo.gpusuite.internal.bench;
