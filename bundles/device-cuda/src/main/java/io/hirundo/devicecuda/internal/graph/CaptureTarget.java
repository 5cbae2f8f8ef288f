package io.hirundo.devicecuda.internal.graph;

import io.hirundo.DeviceException;
import java.util.List;

/** Where repeated work goes: a queue, and memory for it. */
public interface CaptureTarget {
  /** Gives a call to the stream at once. */
  void submit(Call call);

  /** Whether somebody times each call. */
  boolean isTimed();

  /** Takes memory for what has its place, and holds it; false where there is none left. */
  boolean reserve(long bytes);

  /** From now on the memory stays; false where it is gone. */
  boolean hold();

  /** Whether nothing is taken of the memory. */
  boolean isEmpty();

  /** From now on the device may take the memory back for others. */
  void letGo();

  /** Gives the memory back, as soon as nothing that has its place there is left. */
  void release();

  /**
   * A graph of calls, one behind the other.
   *
   * @throws DeviceException where there is none of them
   */
  Graph graph(List<Call> calls);

  /** Calls that go to the stream as one. */
  interface Graph extends AutoCloseable {
    void launch();

    /** What was launched still goes to its end. */
    @Override
    void close();
  }
}
