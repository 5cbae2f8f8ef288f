package io.hirundo.devicecuda.internal.driver;

import io.hirundo.DeviceException;
import io.hirundo.Reason;
import io.hirundo.device.DeviceInfo;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.JCudaDriver;

/**
 * The initialized CUDA driver of this machine.
 *
 * @param calls null if {@link #isTooOld}
 * @param version for example 13000 for 13.0
 * @param hopper GPUs of compute capability 9.0, for which the kernels are compiled
 * @param others names of the other GPUs
 */
public record Driver(DirectCalls calls, int version, List<Gpu> hopper, List<String> others) {
    /** The driver library, present in every installation. */
    public static final List<String> LIBRARY = List.of("libcuda.so.1");

    private static final int NAME_BYTES = 256;

    /** CUDA 12, the first version that compiles FP8 for {@code sm_90a}. */
    private static final int OLDEST = 12_000;

    /**
     * @throws DeviceException if there is no working driver; the message is the reason
     */
    public static Driver open(List<String> candidates) {
        NativeLibrary library = NativeLibrary.open(candidates)
                .orElseThrow(() -> new DeviceException(
                        "there is no NVIDIA driver (" + String.join(", ", candidates) + " cannot be opened)"));
        try {
            JCudaDriver.setExceptionsEnabled(false);
            Result.check("cuInit", JCudaDriver.cuInit(0));
            int[] version = new int[1];
            Result.check("cuDriverGetVersion", JCudaDriver.cuDriverGetVersion(version));
            var hopper = new ArrayList<Gpu>();
            var others = new ArrayList<String>();
            int[] count = new int[1];
            Result.check("cuDeviceGetCount", JCudaDriver.cuDeviceGetCount(count));
            for (int ordinal = 0; ordinal < count[0]; ordinal++) {
                look(ordinal, hopper, others);
            }
            // An old driver lacks functions; the reported reason is its age.
            DirectCalls calls = version[0] < OLDEST ? null : DirectCalls.of(library);
            return new Driver(calls, version[0], List.copyOf(hopper), List.copyOf(others));
        } catch (LinkageError unusable) {
            throw new DeviceException("JCuda's native library cannot be loaded: " + Reason.of(unusable), unusable);
        } catch (IllegalStateException old) {
            throw new DeviceException(Reason.of(old), old);
        }
    }

    private static void look(int ordinal, List<Gpu> hopper, List<String> others) {
        CUdevice device = new CUdevice();
        Result.check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, ordinal));
        byte[] bytes = new byte[NAME_BYTES];
        Result.check("cuDeviceGetName", JCudaDriver.cuDeviceGetName(bytes, NAME_BYTES, device));
        String name = new String(bytes, StandardCharsets.UTF_8);
        name = name.substring(0, name.indexOf(0));
        int major = attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
        int minor = attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        if (major == 9 && minor == 0) {
            long[] memory = new long[1];
            Result.check("cuDeviceTotalMem", JCudaDriver.cuDeviceTotalMem(memory, device));
            int processors = attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
            String arch = String.format(Locale.ROOT, "sm_90a, %d multiprocessors", processors);
            hopper.add(new Gpu(new DeviceInfo("cuda", hopper.size(), name, arch, memory[0]), ordinal, processors));
        } else {
            others.add(name + " (compute capability " + major + "." + minor + ")");
        }
    }

    private static int attribute(CUdevice device, int attribute) {
        int[] value = new int[1];
        Result.check("cuDeviceGetAttribute", JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
        return value[0];
    }

    /** Whether it is too old for every compiler of these GPUs' kernels. */
    public boolean isTooOld() {
        return version < OLDEST;
    }

    /** For example {@code 13.0}. */
    public String versionText() {
        return version / 1000 + "." + version % 1000 / 10;
    }
}
