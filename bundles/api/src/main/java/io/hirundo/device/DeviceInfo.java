package io.hirundo.device;

/**
 * One device of a backend.
 *
 * @param backend name of the backend, for instance {@code cpu}
 * @param ordinal index of the device in its backend
 * @param name vendor's product name
 * @param arch target of its kernels, for instance {@code x86-64 AVX-512}
 * @param memoryBytes memory that can be allocated; {@link Long#MAX_VALUE} if unlimited
 */
public record DeviceInfo(String backend, int ordinal, String name, String arch, long memoryBytes) {}
