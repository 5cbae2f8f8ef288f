package io.hirundo.devicecuda.internal.repeated;

import io.hirundo.DeviceException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a queue is given again and again. The first time shows what memory it needs, the second, with memory at fixed places, which
 * calls there are, the third which of their operands are the same each time; from the fourth time on these calls go to the GPU in
 * graphs, as long as it goes on like that. To be used by one thread at a time.
 */
public final class RepeatedWork implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RepeatedWork.class);

  /** That come before it ever goes on like that: then it does not come again, and to look at it costs time. */
  private static final int MOST_DIFFERENCES = 3;

  private final String name;
  private final Outlet outlet;
  /** Null before the second time. */
  private MemoryPlan memory;
  /** Null before the third time. */
  private List<Slot> slots;
  /** Null before the fourth time. */
  private List<Piece> pieces;
  private int differences;
  private boolean givenUp;

  public RepeatedWork(String name, Outlet outlet) {
    this.name = name;
    this.outlet = outlet;
  }

  /** It comes once more; null where it is not to be looked at. */
  public Pass begin() {
    if (givenUp) {
      return null;
    }
    if (memory != null && !outlet.hold()) {
      LOG.info("{}: the memory of its graphs was needed for others; it is looked at anew", name);
      forget();
    }
    if (memory == null) {
      return new LearningPass(outlet);
    }
    return slots == null
        ? new RecordingPass(outlet, memory)
        : new RepeatingPass(outlet, memory, slots, pieces == null ? List.of() : pieces);
  }

  /** What a pass of it has shown, which has ended. */
  public void conclude(Pass pass) {
    switch (pass) {
      case LearningPass first -> reserve(first.plan());
      case PlacedPass other when other.differs() -> startAnew(other.difference());
      case RecordingPass second -> {
        slots = second.slots();
        outlet.letGo();
      }
      case RepeatingPass further -> {
        outlet.letGo();
        makePieces(further);
      }
    }
  }

  private void makePieces(RepeatingPass pass) {
    try {
      if (pieces == null) {
        pieces = Piece.of(slots, List.of(), outlet);
        tell();
      } else {
        differences = 0;
        if (pass.hasNews()) {
          pieces = Piece.of(slots, pieces, outlet);
        }
      }
    } catch (DeviceException failure) {
      // A GPU that is broken says so at the next call.
      pieces = null;
      forget();
      giveUp(failure.getMessage());
    }
  }

  private void reserve(MemoryPlan plan) {
    if (outlet.reserve(plan.bytes())) {
      memory = plan;
      outlet.letGo();
    } else {
      giveUp("there are no " + plan.bytes() + " bytes left for memory at fixed places");
    }
  }

  private void startAnew(String difference) {
    forget();
    differences++;
    if (differences == MOST_DIFFERENCES) {
      giveUp(difference);
    } else {
      LOG.info("{}: is not what it was the last time, and is looked at anew: {}", name, difference);
    }
  }

  private void giveUp(String why) {
    givenUp = true;
    LOG.warn("{}: goes to the GPU without graphs from now on: {}", name, why);
  }

  private void tell() {
    int inGraphs = pieces.stream().mapToInt(piece -> piece.span().calls()).sum();
    LOG.info(
        "{}: {} of {} kernels and products go to the GPU in {} graphs; of {} bytes at fixed places {} are used at a time",
        name, inGraphs, slots.size(), pieces.size(), memory.bytes(), memory.mostBytes());
  }

  private void forget() {
    if (pieces != null) {
      pieces.forEach(piece -> piece.graph().close());
    }
    pieces = null;
    slots = null;
    if (memory != null) {
      memory = null;
      outlet.release();
    }
  }

  @Override
  public void close() {
    forget();
  }
}
