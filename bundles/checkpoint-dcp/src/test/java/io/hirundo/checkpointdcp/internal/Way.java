package io.hirundo.checkpointdcp.internal;

import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.mesh.World;
import java.nio.file.Path;

/** The strategies of this bundle, for tests that all must pass. */
enum Way {
  SYNC,
  /** Its pool is smaller than the states. */
  ASYNC;

  DcpSession open(Path directory, World world, int keepLast, FileOperations files) {
    return open(directory, world, new Retention(keepLast, 0), files);
  }

  DcpSession open(Path directory, World world, Retention retention, FileOperations files) {
    return switch (this) {
      case SYNC ->
          DcpSession.sync(
              context(directory, world),
              new SyncOptions(retention.keepLast(), retention.keepEvery(), States.CHUNK_BYTES),
              "test 1",
              files);
      case ASYNC -> async(directory, world, retention, 2, 60, files);
    };
  }

  /** {@code buffers}: in the pool. */
  static DcpSession async(
      Path directory, World world, int keepLast, int buffers, long timeoutSeconds, FileOperations files) {
    return async(directory, world, new Retention(keepLast, 0), buffers, timeoutSeconds, files);
  }

  private static DcpSession async(
      Path directory, World world, Retention retention, int buffers, long timeoutSeconds, FileOperations files) {
    var options =
        new AsyncOptions(
            retention.keepLast(),
            retention.keepEvery(),
            States.CHUNK_BYTES,
            (long) buffers * States.CHUNK_BYTES,
            timeoutSeconds);
    return DcpSession.async(context(directory, world), options, "test 1", files);
  }

  private static CheckpointContext context(Path directory, World world) {
    var device = new HostDevice();
    return new CheckpointContext(directory, world, device, device.newQueue("test"));
  }
}
