package io.hirundo.lib.engine.layer;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** The attention cores of a rank's layers, in forward order. Text generation exchanges them for cores with a KV cache while it runs. */
public final class AttentionCores {
    /** What an attention core is made for. */
    public record Attended(Heads heads, AttentionOptions options) {}

    private final BiFunction<Heads, AttentionOptions, AttentionCore> factory;
    private final List<ExchangeableCore> cores = new ArrayList<>();

    /** Creates the cores with a factory: of full sequences, or of a context-parallel strategy. */
    AttentionCores(BiFunction<Heads, AttentionOptions, AttentionCore> factory) {
        this.factory = factory;
    }

    AttentionCore create(Heads heads, AttentionOptions options) {
        var core = new ExchangeableCore(new Attended(heads, options), factory.apply(heads, options));
        cores.add(core);
        return core;
    }

    /** The heads and options of each layer. */
    public List<Attended> attended() {
        return cores.stream().map(core -> core.attended).toList();
    }

    /** Runs work in which each layer's attention uses the given core instead of its own; the work must not run a backward pass. */
    public void withOthers(List<? extends AttentionCore> others, Runnable work) {
        for (int layer = 0; layer < cores.size(); layer++) {
            cores.get(layer).current = others.get(layer);
        }
        try {
            work.run();
        } finally {
            cores.forEach(core -> core.current = core.own);
        }
    }

    /** Delegates to its own core, or to another one for some time. */
    private static final class ExchangeableCore implements AttentionCore {
        private final Attended attended;
        private final AttentionCore own;
        private AttentionCore current;

        ExchangeableCore(Attended attended, AttentionCore own) {
            this.attended = attended;
            this.own = own;
            this.current = own;
        }

        @Override
        public void forward(StepContext context, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
            current.forward(context, in, outputTHD, logSumExpBHS);
        }

        @Override
        public void backward(
                StepContext context,
                Tensor outputGradientTHD,
                QueryKeyValue in,
                Tensor outputTHD,
                Tensor logSumExpBHS,
                QueryKeyValue gradient) {
            current.backward(context, outputGradientTHD, in, outputTHD, logSumExpBHS, gradient);
        }
    }
}
