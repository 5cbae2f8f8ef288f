/** Kernels that check their operands and count their work, one class a family. */
package io.hirundo.devicemeta.internal.kernel;
