/**
 * The loops of GEMM, by address: {@code PanelPacking} copies operands into panels, {@code Transposition} transposes rows for it, {@code Microkernel}
 * multiplies strips and panels, and {@code ResultTile} brings the sums into the result. They know neither operands nor tiles.
 */
package io.hirundo.devicecpu.internal.gemm.loops;
