package io.hirundo.paralleltp.internal.columnrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.Heads;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.Initialization;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Split;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.paralleltp.internal.fixture.TestLocalLayers;
import io.hirundo.paralleltp.internal.fixture.TestRank;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RejectionsTest {
  private static final Initialization NORMAL = Initialization.normal(1);

  private static void rejected(int ranks, Consumer<LayerFactory> making, String message) {
    TestRank.each(
        ranks,
        DType.FP32,
        rank -> {
          var layers = new ColumnRowFactory().create(new ColumnRowOptions()).layers(new TestLocalLayers(rank), rank.group);
          var rejection = assertThrows(ConfigurationException.class, () -> making.accept(layers));
          assertEquals("mesh.tensor is " + ranks + ", but must " + message, rejection.getMessage());
          return null;
        });
  }

  private static LayerSpec.Linear linear(Split split, LinearPart... parts) {
    return new LayerSpec.Linear("x", List.of(parts), 20, split, NORMAL);
  }

  @Test
  void namesTheSettingAndWhatIsAllowed() {
    rejected(
        3,
        layers -> layers.embedding(new LayerSpec.Embedding("embed", 50, 8, NORMAL)),
        "divide the 50 tokens of the vocabulary in embed; allowed are 1, 2, 5, 10, 25, 50");
    rejected(
        3,
        layers -> layers.lossHead(new LayerSpec.LossHead("head", 50, 8, NORMAL)),
        "divide the 50 tokens of the vocabulary in head; allowed are 1, 2, 5, 10, 25, 50");
    rejected(
        3,
        layers -> layers.linear(linear(Split.OUTPUTS, new LinearPart("q", 32, 4))),
        "divide the 8 heads (of 4 rows each) of q; allowed are 1, 2, 4, 8");
    rejected(
        6,
        layers -> layers.linear(linear(Split.OUTPUTS, new LinearPart("q", 48, 4), new LinearPart("k", 16, 4))),
        "divide the 4 heads (of 4 rows each) of k, or be a multiple of them; allowed are 1, 2, 4, or multiples of 4");
    rejected(
        8,
        layers -> layers.linear(linear(Split.OUTPUTS, new LinearPart("gate", 4))),
        "divide the 4 rows of gate; allowed are 1, 2, 4");
    rejected(
        3,
        layers -> layers.linear(linear(Split.INPUTS, new LinearPart("down", 8))),
        "divide the 20 inputs of down; allowed are 1, 2, 4, 5, 10, 20");
    rejected(
        3,
        layers -> layers.gatedMlp(new LayerSpec.GatedMlp("mlp", 20)),
        "divide the 20 inner channels of mlp; allowed are 1, 2, 4, 5, 10, 20");
    rejected(
        3,
        layers -> layers.attention(new LayerSpec.Attention("attn", new Heads(8, 4, 4), List.of(1.0, 0.1), 8)),
        "divide the 8 query heads of attn; allowed are 1, 2, 4, 8");
    rejected(
        6,
        layers -> layers.attention(new LayerSpec.Attention("attn", new Heads(12, 4, 4), List.of(1.0, 0.1), 8)),
        "divide the 4 key/value heads of attn, or be a multiple of them; allowed are 1, 2, 4, or multiples of 4");
  }

  /** The layers' rejections, before there are ranks. */
  @Test
  void rejectsModelsBeforeRanksExist() {
    var model =
        model(
            new LayerSpec.Embedding("embed", 60, 8, NORMAL),
            new LayerSpec.Norm("norm", 7, 1e-5),
            linear(Split.OUTPUTS, new LinearPart("q", 32, 4), new LinearPart("k", 16, 4)),
            new LayerSpec.Attention("attn", new Heads(8, 4, 4), List.of(1.0, 0.1), 8),
            linear(Split.NONE, new LinearPart("router", 7)),
            linear(Split.INPUTS, new LinearPart("down", 8)),
            new LayerSpec.GatedMlp("mlp", 16),
            new LayerSpec.LossHead("head", 60, 8, NORMAL));
    var parallel = new ColumnRowFactory().create(new ColumnRowOptions());

    for (int ranks : new int[] {1, 2, 4}) {
      parallel.check(model, ranks);
    }
    rejected(parallel, model, 7, "divide the 60 tokens of the vocabulary in embed; allowed are");
    rejected(parallel, model, 3, "divide the 8 heads (of 4 rows each) of q; allowed are 1, 2, 4, 8");
    rejected(parallel, model, 12, "divide the 8 heads (of 4 rows each) of q, or be a multiple of them");
    rejected(parallel, model(new LayerSpec.LossHead("head", 50, 8, NORMAL)), 3, "divide the 50 tokens of the vocabulary in head");
    rejected(parallel, model(linear(Split.INPUTS, new LinearPart("down", 8))), 3, "divide the 20 inputs of down");
    rejected(parallel, model(new LayerSpec.GatedMlp("mlp", 20)), 3, "divide the 20 inner channels of mlp");
    rejected(
        parallel,
        model(new LayerSpec.Attention("attn", new Heads(12, 4, 4), List.of(1.0, 0.1), 8)),
        6,
        "divide the 4 key/value heads of attn, or be a multiple of them");
  }

  private static ModelSpec model(LayerSpec... layers) {
    return new ModelSpec(60, 8, 8, List.of(new BlockSpec(0, "block", List.of(layers))));
  }

  private static void rejected(TensorParallel parallel, ModelSpec model, int ranks, String message) {
    var rejection = assertThrows(ConfigurationException.class, () -> parallel.check(model, ranks)).getMessage();
    assertTrue(rejection.startsWith("mesh.tensor is " + ranks + ", but must " + message), rejection);
  }

  @Test
  void rejectsTokensThatTheRanksCannotDivide() {
    var parallel = new ColumnRowFactory().create(new ColumnRowOptions());
    assertEquals(15, parallel.residualTokens(60, 4));
    var rejection = assertThrows(ConfigurationException.class, () -> parallel.residualTokens(60, 8));
    assertEquals(
        "mesh.tensor is 8, but with sequenceParallel it must divide the 60 tokens of a microbatch (training.microBatch times"
            + " training.sequenceTokens, over mesh.context); allowed are 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60; or set the"
            + " option sequenceParallel of column-row to false",
        rejection.getMessage());
    var whole = new ColumnRowFactory().create(new ColumnRowOptions(false, true, true, true, true, 4, true));
    assertEquals(60, whole.residualTokens(60, 8));
  }

  @Test
  void rejectsInvalidSplits() {
    assertThrows(
        ConfigurationException.class,
        () -> new ColumnRowFactory().create(new ColumnRowOptions(true, true, true, true, true, 0, true)));
  }
}
