package io.hirundo.testkit.layer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.mesh.Axis;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.precision.Support;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.fabric.Ranks;
import java.lang.System.Logger.Level;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a layer does on several ranks: with tensor parallelism, with and without sequence parallelism, with context, data and expert
 * parallelism, and with two of them together.
 */
public interface SplitClauses extends LayerOffer {
    @Clause(
            value =
                    "Each rank of every split has its part of one rank's outputs, and the loss and loss terms of its tokens",
            remedy =
                    "Sharding.extent for the sizes of a rank; mixes(), internals() and communicatesAlong() if other ranks' values are needed")
    default void splitOutputsAreThoseOfOneRank(Bench bench) {
        compare(bench, comparison -> {
            comparison.requireOutputs();
            comparison.requireLoss();
        });
    }

    @Clause(
            value = "Each rank of every split has its part of one rank's input gradients",
            remedy = "the all-reduce of input gradients where ranks have other channels of the same rows")
    default void splitInputGradientsAreThoseOfOneRank(Bench bench) {
        compare(bench, RankComparison::requireInputGradients);
    }

    @Clause(
            value = "Gradients of weights, reduced as Sharding derives their placement, are those of one rank",
            remedy =
                    "WeightSpec.on, which must be the activation that the weight is applied to: its dimensions decide over which axes"
                            + " gradients are summed")
    default void splitGradientsAreThoseOfOneRank(Bench bench) {
        compare(bench, RankComparison::requireGradients);
    }

    @Clause(
            value =
                    "With two documents in each sequence, ranks have their part of one rank's outputs, losses and gradients of layers that mix positions",
            remedy =
                    "MicroBatch.documentStartsT() has positions in the complete sequence, also where this rank has a piece of it")
    default void splitDocumentsAreThoseOfOneRank(Bench bench) {
        if (!mixesPositions()) {
            return;
        }
        compare(bench, DocumentPacking.TWO_DOCUMENTS, comparison -> {
            comparison.requireOutputs();
            comparison.requireLoss();
            comparison.requireInputGradients();
            comparison.requireGradients();
        });
    }

    @Clause(
            value =
                    "Logits, where a layer makes them, are those of all tokens and of the full vocabulary on each rank of every split",
            remedy = "logits(), which must gather what other ranks have of rows and vocabulary")
    default void splitLogitsHaveTheLoss(Bench bench) {
        boolean makesLogits;
        try (var fixture = LayerFixture.alone(this, bench)) {
            makesLogits = fixture.lossOfLogits().isPresent();
        }
        if (makesLogits) {
            compare(bench, DocumentPacking.ONE_DOCUMENT, RankComparison::requireLossOfLogits);
        }
    }

    private void compare(Bench bench, Consumer<RankComparison> check) {
        compare(bench, DocumentPacking.ONE_DOCUMENT, check);
    }

    private void compare(Bench bench, DocumentPacking packing, Consumer<RankComparison> check) {
        RankPass alone;
        try (var fixture = LayerFixture.alone(this, bench, bench.device(), packing)) {
            alone = RankPass.of(fixture);
        }
        for (SplitLayout layout : SplitLayout.all(this)) {
            layout.provider(this)
                    .ifPresent(provider -> check.accept(
                            new RankComparison(layer().spec(), layout, alone, ranks(layout, provider, packing))));
        }
    }

    private List<RankPass> ranks(SplitLayout layout, LayerProvider<?, ?> provider, DocumentPacking packing) {
        var fabrics = Collections.nCopies(layout.mesh().ranks(), fabric());
        try {
            return new Ranks(layout.mesh(), fabrics, backend(), world -> List.of(), true).run(rank -> {
                try (var fixture = LayerFixture.of(this, layout, provider, rank.bench(), rank.world(), packing)) {
                    return RankPass.of(fixture);
                }
            });
        } catch (AssertionError e) {
            throw new AssertionError(layout + ": " + e.getMessage(), e);
        }
    }

    @Clause(
            value =
                    "A split that a provider cannot serve is rejected before a device is opened, with a reason; one that it accepts can be created",
            remedy =
                    "LayerProvider.supports() and communicatesAlong(), not create(), decide; splits() of the test lists the axes")
    default void splitsAreRejectedEarly(Bench bench) {
        Set<Axis> accepted = EnumSet.noneOf(Axis.class);
        for (SplitLayout layout : SplitLayout.all(this)) {
            if (layout.lacksContextParallel(this)) {
                System.getLogger(SplitClauses.class.getName())
                        .log(
                                Level.INFO,
                                "layer {0}: {1} is not tested: override contextParallel(), or splits() if the layer needs none",
                                layer().spec().name(),
                                layout);
            }
            for (LayerProvider<?, ?> candidate : layout.candidates(this)) {
                Support support = layout.support(candidate, layer().spec());
                if (!support.supported() && support.reason().isBlank()) {
                    throw new AssertionError(
                            layout + ": " + candidate.getClass().getSimpleName() + " rejects it without a reason");
                }
            }
            layout.provider(this).ifPresent(provider -> {
                accepted.addAll(layout.axes());
                creates(layout, provider);
            });
        }
        accepted.retainAll(splits());
        assertEquals(splits(), accepted, "axes of splits that are accepted");
    }

    private void creates(SplitLayout layout, LayerProvider<?, ?> provider) {
        var fabrics = Collections.nCopies(layout.mesh().ranks(), fabric());
        try {
            new Ranks(layout.mesh(), fabrics, backend(), world -> List.of(), true).run(rank -> {
                LayerFixture.of(this, layout, provider, rank.bench(), rank.world(), DocumentPacking.ONE_DOCUMENT)
                        .close();
                return null;
            });
        } catch (AssertionError e) {
            throw new AssertionError(layout + " is accepted, but the layer cannot be created: " + e.getMessage(), e);
        }
    }
}
