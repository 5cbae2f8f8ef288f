package io.hirundo.testkit;

import io.hirundo.device.ComputeBackend;

/** The testkit's own device. */
@HirundoContract
class ScalarContractTest implements DeviceContract {
  @Override
  public ComputeBackend backend() {
    return new ScalarBackend();
  }
}
