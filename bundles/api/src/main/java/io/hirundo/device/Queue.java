package io.hirundo.device;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * An ordered line of work on a device. Work handed to one queue runs in that order; queues are ordered among each other
 * by events only. A queue belongs to one thread. A device may run the work in the calling thread: then every event has
 * happened when it is recorded.
 */
@ConsumerType
public interface Queue extends AutoCloseable {
  /** Marks the end of what was handed in so far. */
  Event record();

  /**
   * Later work of this queue waits for the event, which may be of another queue of the device or of a collective. A queue
   * that cannot wait by itself blocks the calling thread, {@link Event#await}.
   */
  void await(Event event);

  /**
   * Begins work that is likely to be what it was the last time under this name, and will likely come again: the same kernels and
   * products with the same operands, and memory of the same sizes taken and given back between them. A device may prepare itself for
   * that, as with CUDA graphs. It is no promise: what is not as it was the device does as it is asked to, to the same results.
   *
   * @param work the same name for what is the same, for people too
   * @return to be closed where the work ends, by the queue's thread
   * @throws IllegalStateException where such work is under way in the queue
   */
  default Repetition repetition(String work) {
    return Repetition.UNUSED;
  }

  /** Blocks the calling thread until all work handed in so far has ended, and reports its failure if it had one. */
  void drain();

  @Override
  void close();
}
