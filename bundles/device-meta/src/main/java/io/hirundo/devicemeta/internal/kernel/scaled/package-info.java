/** GEMMs and quantization of operands with scales per block, piece or matrix. */
package io.hirundo.devicemeta.internal.kernel.scaled;
