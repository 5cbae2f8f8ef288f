package io.hirundo.trainer.internal.experts;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.MatrixSpec;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The router and the experts of one rank.
 *
 * @param group the ranks that have all experts together
 * @param experts of this rank
 */
record RunningExperts(ToyExperts spec, ProcessGroup group, LocalMatrix router, List<LocalMatrix> experts)
        implements Layer {
    /** Sends rows to the ranks that have their experts. */
    record Provider() implements LayerProvider<RunningExperts, ToyExperts> {
        @Override
        public Class<ToyExperts> specType() {
            return ToyExperts.class;
        }

        @Override
        public Set<Axis> communicatesAlong() {
            return Set.of(Axis.EXPERT);
        }

        @Override
        public RunningExperts create(ToyExperts spec, LayerScope scope) {
            var own = IntStream.range(0, ToyExperts.EXPERTS)
                    .mapToObj(spec::expert)
                    .filter(weight -> spec.member(weight).map(scope::holds).orElse(true))
                    .map(weight -> scope.matrix(MatrixSpec.of(weight)))
                    .toList();
            return new RunningExperts(spec, scope.group(Axis.EXPERT), scope.matrix(MatrixSpec.of(spec.router())), own);
        }
    }

    /**
     * What the backward needs.
     *
     * @param receivedRC what the experts of this rank got
     * @param returnedTC what experts made of this rank's tokens, in the order of {@link Dispatch#tokens}
     */
    record Routed(Router router, Dispatch dispatch, Tensor receivedRC, Tensor returnedTC) implements AutoCloseable {
        /** The caller closes it. */
        Tensor output(StepContext context) {
            return dispatch.inOrderOfTokens(context, returnedTC, router.gates());
        }

        @Override
        public void close() {
            receivedRC.close();
            returnedTC.close();
        }
    }

    /** What an expert does with its rows. */
    private interface Work {
        void run(LocalMatrix expert, Tensor xNC, Tensor dyNC, Tensor resultNC);
    }

    @Override
    public List<Parameter> parameters() {
        return Stream.concat(Stream.of(router), experts.stream())
                .map(LocalMatrix::weight)
                .toList();
    }

    Routed forward(StepContext context, Tensor xTC) {
        Router routes;
        try (Tensor logitsTE = context.allocate(Shape.of(xTC.shape().dim(0), ToyExperts.EXPERTS))) {
            router.forward(context.queue(), xTC, logitsTE);
            routes = Router.of(context, logitsTE);
        }
        routes.addBalance(context, spec.balance());
        Dispatch dispatch = Dispatch.of(context, group, routes.experts(), ToyExperts.EXPERTS);
        Tensor receivedRC;
        try (Tensor sentTC = dispatch.inOrderOfExperts(context, xTC, ones(xTC))) {
            receivedRC = dispatch.send(context, group, sentTC);
        }
        try (Tensor madeRC = byExpert(
                context,
                dispatch,
                receivedRC,
                receivedRC,
                (expert, x, _, y) -> expert.forward(context.queue(), x, y))) {
            return new Routed(routes, dispatch, receivedRC, dispatch.sendBack(context, group, madeRC));
        }
    }

    private static double[] ones(Tensor xTC) {
        var ones = new double[(int) xTC.shape().dim(0)];
        Arrays.fill(ones, 1);
        return ones;
    }

    /** The gradient of the input; the caller closes it. */
    Tensor backward(StepContext context, Tensor dyTC, Tensor xTC, Routed routed) {
        Tensor dxTC;
        try (Tensor dReturnedTC = routed.dispatch.inOrderOfExperts(context, dyTC, routed.router.gates());
                Tensor dMadeRC = routed.dispatch.send(context, group, dReturnedTC);
                Tensor dReceivedRC = byExpert(
                        context,
                        routed.dispatch,
                        routed.receivedRC,
                        dMadeRC,
                        (expert, x, dy, dx) -> expert.bothGradients(context.queue(), dy, x, dx));
                Tensor dSentTC = routed.dispatch.sendBack(context, group, dReceivedRC)) {
            dxTC = routed.dispatch.inOrderOfTokens(context, dSentTC, ones(xTC));
        }
        try (Tensor dLogitsTE = routed.router.gradient(context, spec.balance(), gateGradients(context, dyTC, routed));
                Tensor dxOfRouterTC = context.allocate(xTC.shape())) {
            router.bothGradients(context.queue(), dLogitsTE, xTC, dxOfRouterTC);
            context.device().kernels().elementwise().add(context.queue(), dxOfRouterTC, dxTC);
        }
        return dxTC;
    }

    /** Of each token the product of the output's gradient and of what its expert made. */
    private static double[] gateGradients(StepContext context, Tensor dyTC, Routed routed) {
        double[] dy = Host.read(context, dyTC);
        double[] made = Host.read(context, routed.returnedTC);
        int channels = (int) dyTC.shape().dim(1);
        var gradients = new double[(int) dyTC.shape().dim(0)];
        for (int row = 0; row < gradients.length; row++) {
            int token = routed.dispatch.tokens().get(row);
            for (int channel = 0; channel < channels; channel++) {
                gradients[token] += dy[token * channels + channel] * made[row * channels + channel];
            }
        }
        return gradients;
    }

    /** Runs each expert on its rows of two tensors; the caller closes the result, of the same rows. */
    private Tensor byExpert(StepContext context, Dispatch dispatch, Tensor xRC, Tensor dyRC, Work work) {
        Tensor resultRC = context.allocate(xRC.shape());
        for (int index = 0; index < experts.size(); index++) {
            List<Integer> rows = dispatch.rowsOfExperts().get(index);
            if (!rows.isEmpty()) {
                try (Tensor xNC = gathered(context, xRC, rows);
                        Tensor dyNC = gathered(context, dyRC, rows);
                        Tensor resultNC = context.allocate(xNC.shape())) {
                    work.run(experts.get(index), xNC, dyNC, resultNC);
                    for (int row = 0; row < rows.size(); row++) {
                        Host.copyRow(context, resultNC, row, 1, resultRC, rows.get(row));
                    }
                }
            }
        }
        return resultRC;
    }

    private static Tensor gathered(StepContext context, Tensor xRC, List<Integer> rows) {
        Tensor xNC = context.allocate(Shape.of(rows.size(), xRC.shape().dim(1)));
        for (int row = 0; row < rows.size(); row++) {
            Host.copyRow(context, xRC, rows.get(row), 1, xNC, row);
        }
        return xNC;
    }
}
