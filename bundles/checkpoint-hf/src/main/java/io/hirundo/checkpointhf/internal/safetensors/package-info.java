/**
 * The safetensors file format: headers that are checked, where each tensor is, and which elements of it a rank's slice
 * has.
 */
package io.hirundo.checkpointhf.internal.safetensors;
