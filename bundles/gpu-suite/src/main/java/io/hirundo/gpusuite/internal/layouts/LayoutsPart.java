package io.hirundo.gpusuite.internal.layouts;

import io.hirundo.device.DeviceInfo;
import io.hirundo.gpusuite.internal.layouts.Comparisons.Compared;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import io.hirundo.train.Trainer;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** Compares training on several ranks, threads of this process on the machine's GPUs, with training on a single rank. */
public final class LayoutsPart implements Part {
    private final Trainer trainer;
    private final List<Compared> compared;
    private final String architecture;
    private final Choice gpu;
    private final IntFunction<List<DeviceInfo>> gpus;

    /**
     * All layouts of gpu-suite.
     *
     * @param architecture the family of the trained model
     * @param gpu the device under test
     * @param gpus returns the GPUs for a number of ranks
     */
    public LayoutsPart(Trainer trainer, String architecture, Choice gpu, IntFunction<List<DeviceInfo>> gpus) {
        this(trainer, Comparisons.ALL, architecture, gpu, gpus);
    }

    /** {@code compared}: the layouts, in order. */
    public LayoutsPart(
            Trainer trainer,
            List<Compared> compared,
            String architecture,
            Choice gpu,
            IntFunction<List<DeviceInfo>> gpus) {
        this.trainer = trainer;
        this.compared = compared;
        this.architecture = architecture;
        this.gpu = gpu;
        this.gpus = gpus;
    }

    @Override
    public String name() {
        return "layouts";
    }

    @Override
    public int limitSeconds() {
        return 40;
    }

    @Override
    public List<Choice> architectures() {
        return List.of(SplitModel.run(architecture).architecture());
    }

    @Override
    public Finding run(TimeBudget allowance, Consumer<String> progress) {
        var series = new LayoutSeries(trainer, architecture, gpu, allowance);
        int done = 0;
        while (done < compared.size() && !allowance.isOver()) {
            series.compare(compared.get(done++)).forEach(progress);
        }
        int mostRanks = compared.stream()
                .limit(done)
                .mapToInt(it -> it.layout().ranks())
                .max()
                .orElse(1);
        String cut = compared.stream().skip(done).map(Compared::toString).collect(Collectors.joining(", "));
        String summary = series.agreeing() + " of " + compared.size() + " layouts agree with a single rank; up to "
                + mostRanks + " ranks on " + devices(mostRanks)
                + (cut.isEmpty() ? "" : "; not run for want of time: " + cut);
        return new Finding(summary, series.failures(), series.table(), cut.isEmpty());
    }

    /** For example {@code cuda 0, cuda 1}. */
    private String devices(int ranks) {
        return gpus.apply(ranks).stream()
                .map(each -> each.backend() + " " + each.ordinal())
                .collect(Collectors.joining(", "));
    }
}
