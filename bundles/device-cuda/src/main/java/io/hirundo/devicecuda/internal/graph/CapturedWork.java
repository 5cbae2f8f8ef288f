package io.hirundo.devicecuda.internal.graph;

import io.hirundo.DeviceException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a queue is given again and again. Two times that are alike show what memory it needs, the next, with memory at fixed places,
 * which calls there are, and another which of their operands are the same each time; from then on these calls go to the GPU in graphs,
 * as long as it goes on like that. To be used by one thread at a time.
 */
public final class CapturedWork implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CapturedWork.class);

  /** That graphs are made for fewer times than are {@link #WORTH_IT}: it does not come again often enough. */
  private static final int MOST_BEGINNINGS = 4;

  /** Different needs of memory that are remembered, until one comes for the second time. */
  private static final int MOST_SEEN = 4;

  /** Times in graphs, after which it is worth while to learn once more. */
  private static final int WORTH_IT = 8;

  private final String name;
  private final CaptureTarget outlet;
  /** What memory it needed at the times before. */
  private final Set<List<MemoryPlan.Event>> seen = new HashSet<>();
  /** Null before it is known. */
  private MemoryPlan memory;
  /** Null before they are known. */
  private List<CallSlot> slots;
  /** Null before they are made. */
  private List<GraphSegment> pieces;
  private int timesInGraphs;
  /** Whether the last time was unlike those before. */
  private boolean differed;

  /** Whether that time showed something that pieces have to know. */
  private boolean news;

  private int beginnings;
  private boolean givenUp;

  public CapturedWork(String name, CaptureTarget outlet) {
    this.name = name;
    this.outlet = outlet;
  }

  /** It comes once more; null where it is not to be looked at. */
  public Pass begin() {
    if (memory != null && !outlet.hold()) {
      learnAnew("the memory of its graphs was needed for others");
    }
    if (givenUp) {
      return null;
    }
    if (memory == null) {
      return new ObservationPass(outlet);
    }
    return slots == null
        ? new RecordingPass(outlet, memory)
        : new ReplayPass(outlet, memory, slots, pieces == null ? List.of() : pieces);
  }

  /** What a pass of it has shown, which has ended. */
  public void conclude(Pass pass) {
    switch (pass) {
      case ObservationPass learning -> learn(learning.events());
      case PlacedPass other when other.differs() -> {
        if (isToleratedOnce(other)) {
          LOG.debug("{}: is not what it was this time: {}", name, other.difference());
          outlet.letGo();
          differed = true;
          news |= other instanceof ReplayPass repeating && repeating.hasNews();
        } else {
          learnAnew(other.difference());
        }
      }
      case RecordingPass recording -> {
        slots = recording.slots();
        outlet.letGo();
        differed = false;
      }
      case ReplayPass repeating -> {
        outlet.letGo();
        differed = false;
        makePieces(repeating);
      }
    }
  }

  /** One time that is unlike the others, as a step after an evaluation, says nothing of the next. */
  private boolean isToleratedOnce(PlacedPass pass) {
    return !differed && !pass.isShared() && outlet.isEmpty();
  }

  private void learn(List<MemoryPlan.Event> events) {
    if (seen.add(events)) {
      if (seen.size() > MOST_SEEN) {
        seen.clear();
      }
      return;
    }
    seen.clear();
    MemoryPlan plan = MemoryPlan.of(events);
    if (outlet.reserve(plan.bytes())) {
      memory = plan;
      outlet.letGo();
    } else {
      giveUp("there are no " + plan.bytes() + " bytes left for memory at fixed places");
    }
  }

  private void makePieces(ReplayPass pass) {
    try {
      if (pieces == null) {
        pieces = GraphSegment.of(slots, List.of(), outlet);
        tell();
      } else {
        timesInGraphs++;
        if (news || pass.hasNews()) {
          pieces = GraphSegment.of(slots, pieces, outlet);
        }
        news = false;
      }
    } catch (DeviceException failure) {
      // A GPU that is broken says so at the next call.
      pieces = null;
      forget();
      giveUp(failure.getMessage());
    }
  }

  private void learnAnew(String difference) {
    beginnings = timesInGraphs >= WORTH_IT ? 1 : beginnings + 1;
    forget();
    if (beginnings == MOST_BEGINNINGS) {
      giveUp(difference);
    } else {
      LOG.info("{}: is not what it was, and is learned anew: {}", name, difference);
    }
  }

  private void giveUp(String why) {
    givenUp = true;
    LOG.warn("{}: goes to the GPU without graphs from now on: {}", name, why);
  }

  private void tell() {
    int inGraphs = pieces.stream().mapToInt(piece -> piece.span().calls()).sum();
    LOG.info(
        "{}: {} of {} kernels and products go to the GPU in {} graphs; {} bytes, of which {} are used at a time, stay taken for it",
        name, inGraphs, slots.size(), pieces.size(), memory.bytes(), memory.mostBytes());
  }

  private void forget() {
    if (pieces != null) {
      pieces.forEach(piece -> piece.graph().close());
    }
    pieces = null;
    slots = null;
    timesInGraphs = 0;
    differed = false;
    news = false;
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
