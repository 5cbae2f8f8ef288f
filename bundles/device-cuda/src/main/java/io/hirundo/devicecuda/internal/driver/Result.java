package io.hirundo.devicecuda.internal.driver;

import io.hirundo.DeviceException;
import jcuda.driver.CUresult;

/** What calls of the driver return. */
public final class Result {
  private Result() {}

  /**
   * Passes on success.
   *
   * @param call the function, for the message
   * @throws DeviceException where the result is not success
   */
  public static void check(String call, int result) {
    if (result != CUresult.CUDA_SUCCESS) {
      throw new DeviceException("CUDA: " + call + " failed: " + describe(result));
    }
  }

  /** As in {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  public static String describe(int result) {
    return CUresult.stringFor(result);
  }

  /** What a direct call throws that is neither of ours nor an error. */
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
