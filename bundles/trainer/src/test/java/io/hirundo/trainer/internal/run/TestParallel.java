package io.hirundo.trainer.internal.run;

import io.hirundo.commlocal.internal.LocalFactory;
import io.hirundo.commlocal.internal.LocalOptions;
import io.hirundo.mesh.Fabric;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.parallelcp.internal.AllGatherFactory;
import io.hirundo.parallelcp.internal.OverlapOptions;
import io.hirundo.parallelcp.internal.RingFactory;
import io.hirundo.paralleldp.internal.FsdpFactory;
import io.hirundo.paralleldp.internal.FsdpOptions;
import io.hirundo.paralleldp.internal.Zero1Factory;
import io.hirundo.paralleldp.internal.Zero1Options;
import io.hirundo.parallelpp.internal.GPipeFactory;
import io.hirundo.parallelpp.internal.InterleavedFactory;
import io.hirundo.parallelpp.internal.InterleavedOptions;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.parallelpp.internal.ZeroBubbleH1Factory;
import io.hirundo.parallelpp.internal.ZeroBubbleVFactory;
import io.hirundo.paralleltp.internal.ColumnRowFactory;
import io.hirundo.paralleltp.internal.ColumnRowOptions;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.NoOptions;

/** The real parallel strategies. */
final class TestParallel {
  /** So small that a model of tests has several. */
  private static final int BUCKET_ELEMENTS = 60_000;

  private TestParallel() {}

  static Strategies.Parallel defaults() {
    return with(fabric(), schedule("1f1b"));
  }

  static Fabric fabric() {
    return new LocalFactory().create(new LocalOptions());
  }

  static Strategies.Parallel with(Fabric fabric, PipelineSchedule schedule) {
    return new Strategies.Parallel(
        fabric, schedule, tensor(true, true), context("ring", true), new Zero1Factory().create(new Zero1Options()));
  }

  static Strategies.Parallel of(Layouts.Ways ways) {
    return new Strategies.Parallel(
        fabric(),
        schedule(ways.schedule()),
        tensor(ways.sequenceParallel(), ways.overlap()),
        context(ways.context(), ways.overlap()),
        data(ways.data(), ways.overlap()));
  }

  static PipelineSchedule schedule(String name) {
    return switch (name) {
      case "1f1b" -> new OneForwardOneBackwardFactory().create(new NoOptions());
      case "gpipe" -> new GPipeFactory().create(new NoOptions());
      case "interleaved" -> new InterleavedFactory().create(new InterleavedOptions());
      case "zb-h1" -> new ZeroBubbleH1Factory().create(new NoOptions());
      case "zb-v" -> new ZeroBubbleVFactory().create(new NoOptions());
      default -> throw new IllegalArgumentException(name);
    };
  }

  static TensorParallel tensor(boolean sequenceParallel, boolean overlap) {
    return new ColumnRowFactory().create(new ColumnRowOptions(sequenceParallel, overlap, true, true, true, 4, true));
  }

  static ContextParallel context(String name, boolean overlap) {
    return switch (name) {
      case "ring" -> new RingFactory().create(new OverlapOptions(overlap));
      case "all-gather" -> new AllGatherFactory().create(new OverlapOptions(overlap));
      default -> throw new IllegalArgumentException(name);
    };
  }

  static DataParallel data(String name, boolean overlap) {
    return switch (name) {
      case "zero1" -> new Zero1Factory().create(new Zero1Options(BUCKET_ELEMENTS, overlap, overlap, true));
      case "zero1 without codes" -> new Zero1Factory().create(new Zero1Options(BUCKET_ELEMENTS, overlap, overlap, false));
      case "fsdp" -> new FsdpFactory().create(new FsdpOptions(overlap, true));
      case "fsdp without codes" -> new FsdpFactory().create(new FsdpOptions(overlap, false));
      default -> throw new IllegalArgumentException(name);
    };
  }
}
