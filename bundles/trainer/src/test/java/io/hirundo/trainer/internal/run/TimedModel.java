package io.hirundo.trainer.internal.run;

import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Parameter;
import io.hirundo.model.Saved;
import io.hirundo.model.StepContext;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A model whose blocks wait instead of computing, equally long for each kind of work, and write down when. Waits take no
 * processor, so that a few cores can carry many ranks. What blocks hand on is one element.
 */
final class TimedModel implements Architecture {
  /**
   * Work of one block on one microbatch, on the clock of {@link System#nanoTime}.
   *
   * @param block its number, which is its stage's
   */
  record Span(Kind kind, int block, long startNanos, long endNanos) {
    long nanos() {
      return endNanos - startNanos;
    }
  }

  private static final Shape ONE = Shape.of(1, 1);

  private final int blocks;
  private volatile long workNanos;
  private final Collection<Span> spans = new ConcurrentLinkedQueue<>();

  TimedModel(int blocks) {
    this.blocks = blocks;
  }

  /** How long each kind of work of a block takes from now on; at first it takes no time. */
  void takes(long workNanos) {
    this.workNanos = workNanos;
  }

  /** What was done since the last call; those of a block in their order. */
  List<Span> takeSpans() {
    var taken = List.copyOf(spans);
    spans.clear();
    return taken;
  }

  @Override
  public ModelSpec describe() {
    return new ModelSpec(
        1, 1, 1, IntStream.range(0, blocks).mapToObj(i -> new BlockSpec(i, "wait." + i, List.of())).toList());
  }

  @Override
  public Block build(BlockSpec block, LayerFactory layers) {
    return new Waiting(block.index());
  }

  private void work(Kind kind, int block) {
    long start = System.nanoTime();
    long end = start + workNanos;
    for (long now = start; now < end; now = System.nanoTime()) {
      LockSupport.parkNanos(end - now);
    }
    spans.add(new Span(kind, block, start, System.nanoTime()));
  }

  private final class Waiting implements Block {
    private final int number;

    Waiting(int number) {
      this.number = number;
    }

    @Override
    public List<Parameter> parameters() {
      return List.of();
    }

    @Override
    public Tensor forward(StepContext context, Tensor xTC, Saved saved) {
      work(Kind.FORWARD, number);
      return number == blocks - 1 ? null : context.allocate(ONE);
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
      if (dyTC != null) {
        dyTC.close();
      }
      work(Kind.BACKWARD_INPUT, number);
      return number == 0 ? null : context.allocate(ONE);
    }

    @Override
    public void backwardWeight(StepContext context, Tensor xTC, Saved saved) {
      work(Kind.BACKWARD_WEIGHT, number);
    }
  }
}
