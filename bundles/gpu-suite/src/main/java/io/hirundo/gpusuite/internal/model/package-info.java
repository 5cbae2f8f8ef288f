/** A small model on the device and on the CPU: comparison of gradients, and training. */
package io.hirundo.gpusuite.internal.model;
