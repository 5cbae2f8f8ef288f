package io.hirundo.devicecuda.internal.cublas;

import io.hirundo.DeviceException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was made by cuBLASLt, to be ended together. */
final class CublasLtHandles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CublasLtHandles.class);

  private final CublasLt library;
  private final Deque<Thing> things = new ArrayDeque<>();

  private record Thing(String kind, long handle) {}

  CublasLtHandles(CublasLt library) {
    this.library = library;
  }

  /**
   * Remembers a thing.
   *
   * @param kind as in {@code cublasLtMatrixLayout}
   */
  long keep(String kind, long handle) {
    things.push(new Thing(kind, handle));
    return handle;
  }

  /** Ends all of them, the last first; what cannot be ended is logged: the others are to end too. */
  @Override
  public void close() {
    while (!things.isEmpty()) {
      Thing thing = things.pop();
      try {
        library.destroy(thing.kind, thing.handle);
      } catch (DeviceException failure) {
        LOG.warn("{} is left: {}", thing.kind, failure.getMessage());
      }
    }
  }
}
