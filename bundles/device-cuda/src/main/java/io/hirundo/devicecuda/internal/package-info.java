/** The device {@code cuda}: one NVIDIA Hopper GPU, its memory, queues and transfers. */
package io.hirundo.devicecuda.internal;
