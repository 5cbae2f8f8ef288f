package io.hirundo.gpusuite.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.DeviceException;
import io.hirundo.ExitCode;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.gpusuite.internal.bench.AlternativeTimes;
import io.hirundo.gpusuite.internal.bench.BenchmarkPart;
import io.hirundo.gpusuite.internal.graphs.GraphsPart;
import io.hirundo.gpusuite.internal.graphs.GraphsPart.Training;
import io.hirundo.gpusuite.internal.kernels.AlternativeKernelsPart;
import io.hirundo.gpusuite.internal.kernels.KernelCase;
import io.hirundo.gpusuite.internal.kernels.KernelCases;
import io.hirundo.gpusuite.internal.kernels.KernelPart;
import io.hirundo.gpusuite.internal.layouts.LayoutsPart;
import io.hirundo.gpusuite.internal.model.CurvesPart;
import io.hirundo.gpusuite.internal.model.ModelPart;
import io.hirundo.gpusuite.internal.model.SmallModel;
import io.hirundo.gpusuite.internal.model.TrainingPart;
import io.hirundo.gpusuite.internal.part.GpuSuite;
import io.hirundo.gpusuite.internal.part.Part;
import io.hirundo.gpusuite.internal.part.UnaccountedLedger;
import io.hirundo.gpusuite.internal.step.StepPart;
import io.hirundo.gpusuite.internal.step.StepSizes;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.model.Architecture;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.train.Trainer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Command {@code gpu-suite}: tests and measures a GPU in one run. It is the first command to run on a new GPU. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=gpu-suite")
@picocli.CommandLine.Command(
        name = "gpu-suite",
        description = {
            "Finds out in ten minutes what a GPU does: every kernel against the CPU's reference (kernels), GEMMs without"
                    + " cuBLASLt too (own-products), attention by warps too (warp-attention), kernels that are off until they are timed (variants), loss and gradients of a small model"
                    + " against the CPU's in each precision (model), a training of 200 steps (training), loss curves of 1,000 steps against the"
                    + " CPU's (curves), how fast copies and kernels are,"
                    + " compared with PyTorch where it is installed (benchmarks), whole training steps of the shapes of a model with 8 billion parameters (step), trainings in CUDA graphs"
                    + " against those without (graphs), and a training by several ranks against that by one (layouts). Writes a report.",
            "Each part has a limit of time; what does not fit is cut, and the report says so. Ctrl-C ends it after the piece of work that it is"
                    + " at, with a report of what was done."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo gpu-suite",
            "  hirundo gpu-suite --report h100.md --python venv/bin/python",
            "  hirundo gpu-suite --parts model,training",
            "  hirundo gpu-suite --parts kernels --without attention,loss"
        })
public final class GpuSuiteCommand implements Command {
    private static final Logger LOG = LoggerFactory.getLogger(GpuSuiteCommand.class);
    private static final int TRAINED_STEPS = 200;
    private static final String CUDA = "cuda";

    private final StrategyRegistry registry;
    private final Trainer trainer;
    private final Interruption interruption;

    @picocli.CommandLine.Option(
            names = "--report",
            paramLabel = "FILE",
            defaultValue = "gpu-suite.md",
            description = "where the report goes (default: ${DEFAULT-VALUE})")
    private Path report;

    @picocli.CommandLine.Option(
            names = "--parts",
            paramLabel = "NAME",
            split = ",",
            description =
                    "what to run: kernels, own-products, warp-attention, variants, model, training, curves, benchmarks, step, graphs, layouts (default: all)")
    private List<String> parts = List.of();

    @picocli.CommandLine.Option(
            names = "--without",
            paramLabel = "TEXT",
            split = ",",
            description =
                    "leaves out kernel cases that have this in their names, as a report has them: what does not end or breaks the GPU")
    private List<String> without = List.of();

    @picocli.CommandLine.Option(
            names = "--losses",
            paramLabel = "FILE",
            description = "writes all losses of the part curves there, a line for each step")
    private Path losses;

    @picocli.CommandLine.Option(names = "--no-limits", description = "lets every part take as long as it needs")
    private boolean unlimited;

    @picocli.CommandLine.Option(
            names = "--toolkit",
            paramLabel = "DIR",
            description = "folder of the CUDA toolkit or of the package that holds libnvrtc, as the device's option")
    private String toolkit;

    @picocli.CommandLine.Option(
            names = "--python",
            paramLabel = "FILE",
            defaultValue = "python3",
            description = "the Python that is asked for PyTorch (default: ${DEFAULT-VALUE})")
    private String python;

    @picocli.CommandLine.Option(
            names = "--device",
            paramLabel = "NAME",
            defaultValue = CUDA,
            description = "the device to look at (default: ${DEFAULT-VALUE})")
    private String device = CUDA;

    @picocli.CommandLine.Option(
            names = "--architecture",
            paramLabel = "NAME",
            description =
                    "the model family that the parts train (default: that of the recorded losses, with which curves compares)")
    private String architecture;

    @Activate
    public GpuSuiteCommand(
            @Reference StrategyRegistry registry, @Reference Trainer trainer, @Reference Interruption interruption) {
        this.registry = registry;
        this.trainer = trainer;
        this.interruption = interruption;
    }

    /**
     * @throws io.hirundo.DeviceException if there is no usable GPU; the message is the reason
     */
    @Override
    public Integer call() {
        requireWritable();
        var chosen = new Choice(device, toolkit == null ? Map.of() : Map.of("toolkit", toolkit));
        var reference = new Choice("cpu", Map.of("kernels", "reference"));
        ComputeBackend backend = registry.create(ComputeBackend.class, chosen, "device");
        for (Part part : wanted(parts(null, chosen, null, reference))) {
            part.architectures().forEach(trained -> registry.create(Architecture.class, trained, "--architecture"));
        }
        Device gpu = backend.open(0, new UnaccountedLedger());
        try (Device cpu =
                registry.create(ComputeBackend.class, reference, "reference").open(0, new UnaccountedLedger())) {
            return run(new GpuSuite(
                    wanted(parts(gpu, chosen, cpu, reference)), gpu, !unlimited, System::nanoTime, interruption));
        } finally {
            close(gpu);
        }
    }

    private String leftOut() {
        return "kernel cases with " + String.join(" or ", without) + " in their names, by --without";
    }

    private int run(GpuSuite suite) {
        var results = suite.run(
                System.out::println, this::write, () -> Runtime.getRuntime().halt(ExitCode.INTERNAL));
        if (!without.isEmpty()) {
            System.out.println("not compared: " + leftOut());
        }
        if (!results.cut().isEmpty()) {
            System.out.println("not all was run of " + String.join(", ", results.cut()));
        }
        System.out.println("see " + report);
        if (interruption.isRequested()) {
            return ExitCode.INTERRUPTED;
        }
        return results.failures().isEmpty() ? ExitCode.OK : ExitCode.INTERNAL;
    }

    /** Checked before the GPU is opened. */
    private void requireWritable() {
        requireWritable("--report", report);
        if (losses != null) {
            requireWritable("--losses", losses);
        }
    }

    private static void requireWritable(String option, Path file) {
        try {
            OutputFiles.requireFileInFolder(file);
            AtomicFile.requireWritable(file);
        } catch (IOException failure) {
            throw unwritable(option, file, failure);
        }
    }

    private static StorageException unwritable(String option, Path file, IOException failure) {
        return new StorageException(option + ": cannot write " + OutputFiles.explain(file, failure), failure);
    }

    private void write(String text) {
        write("--report", report, text + (without.isEmpty() ? "" : "\nNot compared: " + leftOut() + ".\n"));
    }

    private void writeLosses(String text) {
        write("--losses", losses, text);
    }

    private String trained() {
        return architecture == null ? CurvesPart.architecture() : architecture;
    }

    private static void write(String option, Path file, String text) {
        try {
            AtomicFile.write(file, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw unwritable(option, file, failure);
        }
    }

    /** A GPU whose context a kernel has broken cannot be closed either, but the results still count. */
    private static void close(Device gpu) {
        try {
            gpu.close();
        } catch (DeviceException failure) {
            LOG.warn("the GPU could not be closed: {}", Reason.of(failure));
        }
    }

    /** All parts. The parts that train open their own devices. Parts that do not run may have null devices. */
    List<Part> parts(Device gpu, Choice chosen, Device cpu, Choice reference) {
        requireKnown(without);
        String trained = trained();
        var all = new ArrayList<Part>();
        all.add(new KernelPart(wantedCases(KernelCases.forGpu()), cpu, gpu));
        if (device.equals(CUDA)) {
            all.add(AlternativeKernelsPart.products(
                    registry, chosen, cpu, wantedCases(KernelCases.products()), AlternativeTimes.ofProducts()));
            all.add(AlternativeKernelsPart.attention(
                    registry, chosen, cpu, wantedCases(KernelCases.attention()), AlternativeTimes.ofAttention()));
            all.add(AlternativeKernelsPart.variants(
                    registry, chosen, cpu, wantedCases(KernelCases.ofVariantsForGpu()), AlternativeTimes.ofVariants()));
        }
        all.add(new ModelPart(trainer, SmallModel.compared(trained), chosen, reference));
        all.add(new TrainingPart(trainer, SmallModel.trained(trained), TRAINED_STEPS, chosen, Choice.of("cpu")));
        all.add(CurvesPart.committed(trainer, trained, chosen, losses == null ? null : this::writeLosses));
        all.add(BenchmarkPart.usual(gpu, python));
        all.add(new StepPart(
                trainer, device.equals(CUDA) ? StepSizes.large(trained) : StepSizes.small(trained), chosen, python));
        if (device.equals(CUDA)) {
            all.add(new GraphsPart(trainer, trainingsInGraphs(trained), chosen, GraphsPart::launches));
        }
        // Last, because ranks that access each other's memory may break the context, after which nothing could be
        // timed.
        all.add(new LayoutsPart(trainer, trained, chosen, ranks -> devices(chosen, ranks)));
        return all;
    }

    /** The small one mostly measures the host, the other one the GPU. */
    private static List<Training> trainingsInGraphs(String trained) {
        return List.of(
                new Training(
                        "a small model", "bf16", SmallModel.trained(trained).run()),
                new Training(
                        "a small model",
                        "fp8-blockwise",
                        SmallModel.trained(trained).run()),
                new Training(
                        "a layer of a large model, 2048 tokens,",
                        "bf16",
                        StepSizes.large(trained).probe().run()));
    }

    private static void requireKnown(List<String> without) {
        List<String> names = Stream.of(KernelCases.forGpu(), KernelCases.products(), KernelCases.ofVariantsForGpu())
                .flatMap(List::stream)
                .map(KernelCase::name)
                .toList();
        for (String text : without) {
            if (names.stream().noneMatch(name -> name.contains(text))) {
                throw new ConfigurationException("--without: no kernel case has " + text + " in its name");
            }
        }
    }

    private List<KernelCase> wantedCases(List<KernelCase> all) {
        return all.stream()
                .filter(one -> without.stream().noneMatch(one.name()::contains))
                .toList();
    }

    private List<DeviceInfo> devices(Choice chosen, int ranks) {
        return registry.create(ComputeBackend.class, chosen, "device")
                .sharedBy(ranks)
                .devices();
    }

    private List<Part> wanted(List<Part> all) {
        List<String> names = all.stream().map(Part::name).toList();
        var unknown = new ArrayList<>(parts);
        unknown.removeAll(names);
        if (!unknown.isEmpty()) {
            throw new ConfigurationException(
                    "--parts: there is no " + unknown.getFirst() + "; there are " + String.join(", ", names));
        }
        return all.stream()
                .filter(part -> parts.isEmpty() || parts.contains(part.name()))
                .toList();
    }
}
