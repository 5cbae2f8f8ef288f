/** Soft caps of logits and their gradients: a scalar reference and a Vector API version. */
package io.hirundo.devicecpu.internal.softcap;
