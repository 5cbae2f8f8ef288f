/** A Llama on the device under test and on the CPU: gradients, and a training. */
package io.hirundo.devicecuda.internal.suite.model;
