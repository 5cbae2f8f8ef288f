package io.hirundo.mesh;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** One rank's membership in the mesh. Belongs to that rank's thread; {@link #abort} may be called from any. */
@ConsumerType
public interface World extends AutoCloseable {
  int rank();

  Mesh mesh();

  /** The ranks that differ from this one along the given axes only, this one included. Never null; always the same object. */
  ProcessGroup along(Axis... axes);

  /**
   * The group of these ranks, this one among them. All of them ask for it, and ask for their groups in the same order.
   *
   * @param ranks of the world, in the order of the group
   */
  ProcessGroup group(List<Integer> ranks);

  /** Ends every pending and later collective of all ranks with the cause. */
  void abort(Throwable cause);

  @Override
  void close();
}
