package io.hirundo.commmpi.internal.collective;

import io.hirundo.CommunicationException;
import io.hirundo.commmpi.internal.wire.Wire;
import io.hirundo.mesh.support.End;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The thread that tells the other ranks of a world that it has ended or that this rank leaves, and hears it from them. */
final class Control implements Runnable {
  /** Of its messages. */
  static final int TAG = 1;

  private static final int BYTES = 4096;
  private static final int ENDED = 1;
  private static final int LEFT = 2;
  private static final int TEXT = 8;
  private static final long LOOK_MILLIS = 2;
  /** How long an end is told to ranks that do not listen. */
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final WorldState hub;
  private final Thread thread;
  private volatile boolean leaving;

  Control(WorldState hub) {
    this.hub = hub;
    this.thread = Thread.ofPlatform().daemon().name("hirundo rank " + hub.rank() + " communication control").unstarted(this);
  }

  void start() {
    thread.start();
  }

  boolean isAlive() {
    return thread.isAlive();
  }

  String name() {
    return thread.getName();
  }

  @Override
  public void run() {
    try {
      boolean told = false;
      while (true) {
        hear();
        if (hub.hasEnded()) {
          if (!hub.wasEndedByOther()) {
            tell(ENDED, hub.end().reason());
          }
          return;
        }
        if (leaving && !told) {
          tell(LEFT, "");
          told = true;
        }
        if (told && hub.othersThatLeft().size() == others().size()) {
          return;
        }
        pause(LOOK_MILLIS);
      }
    } catch (RuntimeException | Error e) {
      hub.end(End.failure(hub.rank(), e));
    }
  }

  private void hear() {
    for (int from = hub.wire().caller(TAG); from >= 0; from = hub.wire().caller(TAG)) {
      MemorySegment message = Arena.ofAuto().allocate(BYTES);
      Wire.Transmission receiving = hub.wire().receive(message, from, TAG);
      while (!receiving.hasEnded()) {
        Thread.onSpinWait();
      }
      int length = message.get(ValueLayout.JAVA_INT, Integer.BYTES);
      byte[] text = message.asSlice(TEXT, length).toArray(ValueLayout.JAVA_BYTE);
      if (message.get(ValueLayout.JAVA_INT, 0) == ENDED) {
        hub.endAsTold(new String(text, StandardCharsets.UTF_8));
      } else {
        hub.otherLeft(from);
      }
    }
  }

  /** Returns when all have been told, or some do not listen. */
  private void tell(int what, String reason) {
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    text = Arrays.copyOf(text, Math.min(text.length, BYTES - TEXT));
    // Never given back: a rank that does not listen may still be sent it.
    MemorySegment message = Arena.global().allocate(BYTES);
    message.set(ValueLayout.JAVA_INT, 0, what);
    message.set(ValueLayout.JAVA_INT, Integer.BYTES, text.length);
    message.asSlice(TEXT).copyFrom(MemorySegment.ofArray(text));
    var sending = new ArrayList<Wire.Transmission>();
    others().forEach(other -> sending.add(hub.wire().send(message, other, TAG)));
    long deadline = System.nanoTime() + TELL_NANOS;
    while (!sending.isEmpty() && System.nanoTime() - deadline < 0) {
      sending.removeIf(Wire.Transmission::hasEnded);
      Thread.yield();
    }
  }

  private List<Integer> others() {
    return IntStream.range(0, hub.mesh().ranks()).filter(other -> other != hub.rank()).boxed().toList();
  }

  /**
   * Leaves. Waits for the others: MPI may not end while they need it, nor the process before them.
   *
   * @return whether all have left and the world has not ended before
   */
  boolean part() {
    leaving = true;
    boolean interrupted = join(hub.timeoutNanos());
    if (thread.isAlive()) {
      var reason = hub.rank() + " closed its world and waited " + hub.timeoutSeconds() + " s, but ranks " + missing() + " did not";
      hub.end(new End("rank " + reason, null));
      interrupted |= join(2 * TELL_NANOS);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !hub.hasEnded();
  }

  private List<Integer> missing() {
    return others().stream().filter(other -> !hub.othersThatLeft().contains(other)).toList();
  }

  private boolean join(long nanos) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + nanos;
    while (thread.isAlive() && deadline - System.nanoTime() > 0) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, deadline - System.nanoTime());
      } catch (InterruptedException e) {
        interrupted = true;
        hub.end(new End("rank " + hub.rank() + " was interrupted while it waited for ranks " + missing() + " to leave", e));
      }
    }
    return interrupted;
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommunicationException("the thread that listens to other ranks was interrupted", e);
    }
  }
}
