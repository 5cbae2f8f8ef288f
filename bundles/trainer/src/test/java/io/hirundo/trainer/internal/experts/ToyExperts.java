package io.hirundo.trainer.internal.experts;

import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.Member;
import io.hirundo.model.Tokens;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.layer.LossTerm;
import io.hirundo.model.parameter.Initialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A mixture of experts: the router weighs what the one expert makes that a token is sent to. The expert follows from the token alone, so
 * that the layer has a derivative. Its balance loss is that of Fedus et al. 2021, arXiv 2101.03961, equation 4, for each sequence. It has
 * methods for mutants to override.
 */
class ToyExperts implements LayerSpec<RunningExperts> {
    /** E. */
    static final int EXPERTS = 4;

    /** C; an expert is a matrix [C, C]. */
    static final int HIDDEN = 3;

    private static final Initialization NORMAL = Initialization.normal(0.02);

    @Override
    public String name() {
        return "experts";
    }

    @Override
    public List<Activation> inputs() {
        return List.of(Activation.residual(HIDDEN));
    }

    @Override
    public List<Activation> outputs() {
        return inputs();
    }

    /** Logits of the router, of which every rank has those of all experts, and what experts get. */
    @Override
    public List<Activation> internals() {
        return List.of(logits(), new Activation(Dims.DISPATCHED_ROWS, List.of(List.of(Dims.hidden(HIDDEN)))));
    }

    private Activation logits() {
        return new Activation(Dims.RESIDUAL_ROWS, List.of(List.of(new Dim("routes", EXPERTS))));
    }

    /** [E, C]. */
    WeightSpec router() {
        var shape = List.of(logits().sections().getFirst(), List.of(Dims.hidden(HIDDEN)));
        return new WeightSpec("router.weight", shape, logits(), WeightSpec.Use.MATRIX, NORMAL);
    }

    /** [C, C]. */
    WeightSpec expert(int index) {
        var shape = List.of(List.of(Dims.hidden(HIDDEN)), List.of(Dims.hidden(HIDDEN)));
        return new WeightSpec(
                "experts." + index + ".weight", shape, internals().getLast(), WeightSpec.Use.MATRIX, NORMAL);
    }

    @Override
    public List<WeightSpec> weights() {
        var weights = new ArrayList<>(List.of(router()));
        IntStream.range(0, EXPERTS).mapToObj(this::expert).forEach(weights::add);
        return weights;
    }

    @Override
    public Optional<Member> member(WeightSpec weight) {
        return IntStream.range(0, EXPERTS)
                .filter(index -> expert(index).equals(weight))
                .mapToObj(index -> new Member(Dims.experts(EXPERTS), index))
                .findFirst();
    }

    LossTerm balance() {
        return new LossTerm("balance", 0.5, LossTerm.Per.SEQUENCE);
    }

    @Override
    public Map<LossTerm, Activation> lossTerms() {
        return Map.of(balance(), logits());
    }

    /** The router, and one expert for each token. */
    @Override
    public double modelFlops(Tokens tokens) {
        return 6 * tokens.tokens() * HIDDEN * (EXPERTS + HIDDEN);
    }
}
