package io.hirundo.trainer.internal.layout;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.Heads;
import io.hirundo.mesh.Axis;
import io.hirundo.model.Activation;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.Initialization;
import io.hirundo.model.Layer;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.WeightSpec;
import io.hirundo.parallel.Sharding;
import io.hirundo.trainer.internal.layer.LayerProviderChoice;
import io.hirundo.trainer.internal.layer.PlainProviders;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What cannot be sharded correctly is rejected before the run. */
class BlockCheckTest {
  private static final int HIDDEN = 32;
  private static final Initialization NORMAL = Initialization.normal(1);
  private static final LayerSpec.Attention ATTENTION = new LayerSpec.Attention("attention", new Heads(8, 4, 4), List.of(1.0, 0.1), 8);

  private static final LayerSpec<?> QUERY =
      LayerSpec.Linear.fromResidual("q", List.of(new LinearPart("q.weight", ATTENTION.query())), HIDDEN, NORMAL);

  private static final Sharding HEADS_2 = new Sharding(Map.of(Dims.QUERY_HEADS, Set.of(Axis.TENSOR)), Map.of(Axis.TENSOR, 2));

  private static final Sharding HEADS_AND_SEQUENCES_2 =
      new Sharding(
          Map.of(Dims.QUERY_HEADS, Set.of(Axis.TENSOR), Dims.RESIDUAL_POSITIONS.name(), Set.of(Axis.TENSOR)),
          Map.of(Axis.TENSOR, 2));

  private static void check(LayerSpec<?>... layers) {
    BlockCheck.checkDeclarations(new BlockSpec(0, "block", List.of(layers)), HIDDEN);
  }

  private static void rejected(String message, LayerSpec<?>... layers) {
    var rejection = assertThrows(ConfigurationException.class, () -> check(layers)).getMessage();
    assertTrue(rejection.startsWith(message), rejection);
  }

  private static LayerSpec<?> norm(Activation on) {
    return new LayerSpec.Norm("norm.weight", on, 1e-5);
  }

  @Test
  void acceptsNormsOnHeadsThatTheBlockMakes() {
    assertDoesNotThrow(() -> check(norm(Activation.residual(HIDDEN)), QUERY, norm(Activation.inside(ATTENTION.query()))));
  }

  /** Each of these would have a gradient that is summed over the wrong ranks. */
  @Test
  void rejectsNormsOnHeadsThatAreDeclaredOtherwise() {
    String norm = "model: layer norm.weight reads ";
    rejected(norm + "[sequences, residual-positions] x [hidden 4], which no", QUERY, norm(Activation.residual(4)));
    var ofResidualRows = new Activation(Dims.RESIDUAL_ROWS, List.of(ATTENTION.query()));
    rejected(norm + "[sequences, residual-positions] x [query-heads 8, head 4], which no", QUERY, norm(ofResidualRows));
    rejected(norm + "[sequences, positions] x [head 4], which no", QUERY, norm(Activation.inside(List.of(Dims.head(4)))));
    var query = Activation.inside(ATTENTION.query());
    rejected(norm + "[sequences, positions] x [query-heads 8, head 4], which no", norm(query), QUERY);
  }

  /** A layer kind that mixes heads, as the norm of OLMo 2 does. */
  private record HeadMixer(Activation on) implements LayerSpec<Layer> {
    @Override
    public String name() {
      return "mixer";
    }

    @Override
    public List<Activation> inputs() {
      return List.of(Activation.residual(HIDDEN));
    }

    @Override
    public List<Activation> outputs() {
      return inputs();
    }

    @Override
    public List<WeightSpec> weights() {
      return List.of(new WeightSpec("mixer.weight", List.of(List.of(Dims.hidden(HIDDEN))), on, WeightSpec.Use.VECTOR, NORMAL));
    }

    @Override
    public Set<Dim> mixes() {
      return Set.of(ATTENTION.query().getFirst());
    }
  }

  @Test
  void rejectsWeightsThatAreAppliedToNoActivationOfTheirLayer() {
    assertDoesNotThrow(() -> check(new HeadMixer(Activation.residual(HIDDEN))));
    rejected("model: weight mixer.weight is applied to", new HeadMixer(Activation.inside(List.of(Dims.hidden(HIDDEN)))));
  }

  @Test
  void rejectsLayersThatNoProviderSplits() {
    var layer = new HeadMixer(Activation.residual(HIDDEN));
    var providers = new LayerProviderChoice(PlainProviders.all());
    assertEquals(
        "mesh.tensor is 2, but no provider splits layer mixer of kind HeadMixer like that; set it to 1",
        assertThrows(ConfigurationException.class, () -> providers.check(layer, HEADS_2)).getMessage());
    assertEquals(
        "model: no provider makes layer mixer of kind HeadMixer run; its architecture must implement LayerProviders",
        assertThrows(ConfigurationException.class, () -> providers.check(layer, Sharding.NONE)).getMessage());
    assertThrows(ConfigurationException.class, () -> providers.check(QUERY, HEADS_2), "plain linear layers do not communicate");
    assertDoesNotThrow(() -> providers.check(QUERY, Sharding.NONE));
  }

  /** Otherwise replicas drift apart silently. */
  @Test
  void gradientsOfHeadNormsArePartialWithAndWithoutSequenceParallelism() {
    for (Sharding sharding : List.of(HEADS_2, HEADS_AND_SEQUENCES_2)) {
      for (List<Dim> heads : List.of(ATTENTION.query(), ATTENTION.keyValue())) {
        var weight = new LayerSpec.Norm("norm.weight", Activation.inside(heads), 1e-5).weight();
        assertEquals(Set.of(Axis.TENSOR), sharding.placement(weight).partial());
      }
    }
    var residual = new LayerSpec.Norm("norm.weight", Activation.residual(HIDDEN), 1e-5).weight();
    assertEquals(Set.of(Axis.TENSOR), HEADS_2.placement(residual).replicated());
    assertEquals(Set.of(Axis.TENSOR), HEADS_AND_SEQUENCES_2.placement(residual).partial());
  }
}
