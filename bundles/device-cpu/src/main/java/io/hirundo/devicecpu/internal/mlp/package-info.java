/** Gated MLPs (SwiGLU, GeGLU), forward and backward: a scalar reference and a Vector API version. */
package io.hirundo.devicecpu.internal.mlp;
