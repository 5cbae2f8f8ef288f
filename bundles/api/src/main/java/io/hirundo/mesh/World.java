package io.hirundo.mesh;

import org.osgi.annotation.versioning.ConsumerType;

/** One rank's membership in the mesh. Belongs to that rank's thread; {@link #abort} may be called from any. */
@ConsumerType
public interface World extends AutoCloseable {
  int rank();

  Mesh mesh();

  /** The ranks that differ from this one along the given axes only, this one included. Never null. */
  ProcessGroup along(Axis... axes);

  /** Ends every pending and later collective of all ranks with the cause. */
  void abort(Throwable cause);

  @Override
  void close();
}
