package io.hirundo.paralleltp.internal;

import io.hirundo.model.LayerFactory;
import io.hirundo.model.LocalLayers;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/** What every test is made for: a number of ranks, with and without sequence parallelism, in two precisions. */
record Layout(int ranks, boolean sequenceParallel, DType dtype) {
  static List<Layout> all() {
    var layouts = new ArrayList<Layout>();
    for (int ranks : new int[] {1, 2, 4, 8}) {
      for (boolean sequenceParallel : new boolean[] {true, false}) {
        layouts.add(new Layout(ranks, sequenceParallel, DType.FP64));
        layouts.add(new Layout(ranks, sequenceParallel, DType.FP32));
      }
    }
    return layouts;
  }

  /** Everything hidden, nothing hidden, and each kind alone. */
  List<ColumnRowOptions> overlaps() {
    return List.of(
        new ColumnRowOptions(sequenceParallel, true, true, true, true, 4, true),
        new ColumnRowOptions(sequenceParallel, false, true, true, true, 4, true),
        new ColumnRowOptions(sequenceParallel, true, true, false, false, 4, true),
        new ColumnRowOptions(sequenceParallel, true, false, true, false, 2, true),
        new ColumnRowOptions(sequenceParallel, true, false, false, true, 4, true));
  }

  LayerFactory layers(ColumnRowOptions options, TestRank rank, LocalLayers local) {
    return new ColumnRowFactory().create(options).layers(local, rank.group);
  }

  /** Residual rows of a rank. */
  long residualRows() {
    return sequenceParallel ? TestRank.TOKENS / ranks : TestRank.TOKENS;
  }

  /** Its rows of a tensor of the residual stream. */
  double[] residual(double[] whole, int rank) {
    int width = whole.length / TestRank.TOKENS;
    return sequenceParallel ? Values.window(whole, width, rank * residualRows(), residualRows(), 0, width) : whole;
  }
}
