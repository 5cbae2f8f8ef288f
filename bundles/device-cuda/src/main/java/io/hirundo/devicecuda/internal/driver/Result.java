package io.hirundo.devicecuda.internal.driver;

import io.hirundo.DeviceException;
import jcuda.driver.CUresult;

/** Checks the results of driver calls. */
public final class Result {
    private Result() {}

    /**
     * Returns on success.
     *
     * @param call name of the function, for the message
     * @throws DeviceException if the result is not success
     */
    public static void check(String call, int result) {
        if (result != CUresult.CUDA_SUCCESS) {
            throw new DeviceException("CUDA: " + call + " failed: " + describe(result));
        }
    }

    /** For example {@code CUDA_ERROR_OUT_OF_MEMORY}. */
    public static String describe(int result) {
        return CUresult.stringFor(result);
    }

    /** Wraps an unexpected exception of a direct call. */
    public static IllegalStateException impossible(Throwable thrown) {
        if (thrown instanceof RuntimeException failure) {
            throw failure;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(thrown);
    }
}
