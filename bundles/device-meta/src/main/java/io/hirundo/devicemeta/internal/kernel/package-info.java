/** Kernels that check their operands and count their work, one class per family. */
package io.hirundo.devicemeta.internal.kernel;
