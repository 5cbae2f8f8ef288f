package io.hirundo.device;

/**
 * One device that a backend offers.
 *
 * @param backend name of the backend, {@code cpu} for instance
 * @param ordinal number of the device within its backend
 * @param name as its maker calls it
 * @param arch what its kernels are compiled for, {@code x86-64 AVX-512} for instance
 * @param memoryBytes memory that can be allocated; {@link Long#MAX_VALUE} where there is no limit
 */
public record DeviceInfo(String backend, int ordinal, String name, String arch, long memoryBytes) {}
