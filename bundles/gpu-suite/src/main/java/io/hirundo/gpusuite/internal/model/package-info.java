/** A small Llama on the device and on the CPU: gradients, and a training. */
package io.hirundo.gpusuite.internal.model;
