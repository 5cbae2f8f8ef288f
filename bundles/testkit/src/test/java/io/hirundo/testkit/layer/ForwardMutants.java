package io.hirundo.testkit.layer;

import io.hirundo.mesh.Axis;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.layer.LayerMutantsTest.Sound;
import io.hirundo.testkit.mutant.Breaks;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Layers with one defect each in what they read of a microbatch, in a repeated forward, or in their logits. */
final class ForwardMutants {
    private ForwardMutants() {}

    /** As attention without a mask would. */
    @Breaks("documentsAreApart")
    @HirundoContract
    static class ReadsThePreviousDocument extends Sound {
        @Override
        HeadScale.Running running(Parameter weightD) {
            return new HeadScale.Running(weightD) {
                @Override
                Tensor forward(StepContext context, Tensor x) {
                    Tensor y = super.forward(context, x);
                    if (context.batch().documentStartsT().isPresent()) {
                        long rows = x.shape().dim(0) - 1;
                        context.device().kernels().elementwise().add(context.queue(), x.rows(0, rows), y.rows(1, rows));
                    }
                    return y;
                }
            };
        }
    }

    /** Along the context axis a rank has a piece of each sequence. */
    @Breaks("splitDocumentsAreThoseOfOneRank")
    @HirundoContract
    static class TakesItsPieceForTheSequence extends Sound {
        @Override
        HeadScale spec() {
            return new HeadScale() {
                @Override
                public Set<Dim> mixes() {
                    return Set.of(Dims.POSITIONS);
                }
            };
        }

        /** It needs no context-parallel strategy. */
        @Override
        public Set<Axis> splits() {
            return EnumSet.of(Axis.TENSOR, Axis.CONTEXT, Axis.DATA);
        }

        @Override
        Set<Axis> communicatesAlong() {
            return Set.of(Axis.CONTEXT);
        }

        @Override
        HeadScale.Running running(Parameter weightD) {
            return new HeadScale.Running(weightD) {
                private void scale(StepContext context, Tensor x) {
                    if (context.batch().documentStartsT().isPresent()) {
                        context.device()
                                .kernels()
                                .elementwise()
                                .scale(context.queue(), x, context.batch().sequenceTokens());
                    }
                }

                @Override
                Tensor scaled(StepContext context, Tensor x) {
                    Tensor y = super.scaled(context, x);
                    scale(context, y);
                    return y;
                }

                @Override
                void backwardWeight(StepContext context, Tensor dy, Tensor x) {
                    try (Tensor scaled = context.allocate(dy.shape())) {
                        context.device().kernels().elementwise().copy(context.queue(), dy, scaled);
                        scale(context, scaled);
                        super.backwardWeight(context, scaled, x);
                    }
                }
            };
        }
    }

    /** By less than other clauses tolerate. */
    @Breaks("forwardsAreEqual")
    @HirundoContract
    static class CountsItsForwards extends Sound {
        @Override
        HeadScale.Running running(Parameter weightD) {
            return new HeadScale.Running(weightD) {
                private int forwards;

                @Override
                Tensor forward(StepContext context, Tensor x) {
                    Tensor y = super.forward(context, x);
                    context.device().kernels().elementwise().scale(context.queue(), y, 1 + 0x1p-50 * (forwards++ % 2));
                    return y;
                }
            };
        }
    }

    /** It adds nothing to the loss. */
    @Breaks({"logitsHaveTheLoss", "splitLogitsHaveTheLoss"})
    @HirundoContract
    static class MakesLogitsWithoutLoss extends Sound {
        @Override
        HeadScale.Drive drive() {
            return new HeadScale.Drive() {
                @Override
                public Optional<Tensor> logits(HeadScale.Running layer, StepContext context, List<Tensor> inputs) {
                    Tensor logits = context.allocate(Shape.of(context.batch().tokens(), 8));
                    context.device().kernels().elementwise().fill(context.queue(), logits, 0);
                    return Optional.of(logits);
                }
            };
        }
    }
}
