package io.hirundo.regress.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.DivergedException;
import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.Quantity;
import io.hirundo.command.ShellLine;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.regress.internal.compare.Verdict;
import io.hirundo.regress.internal.golden.CaseRecord;
import io.hirundo.regress.internal.golden.Golden;
import io.hirundo.regress.internal.golden.GoldenFile;
import io.hirundo.regress.internal.golden.StepRecord;
import io.hirundo.regress.internal.set.CaseSet;
import io.hirundo.regress.internal.set.CaseSetReader;
import io.hirundo.regress.internal.set.RegressCase;
import io.hirundo.train.Trainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code regress record}: trains the cases of a set and records the results in its golden file. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=regress record")
@picocli.CommandLine.Command(
        name = "record",
        description = {
            "Trains every case of a set and writes what it gives to SET.golden.json: losses, gradient norms, fingerprints of gradients and "
                    + "weights, memory, throughput, and the versions of everything. A case that differs from the one it is compared with ends it "
                    + "with exit code 3, and nothing is written."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo regress record cnf/regress/hirundo.yaml",
            "  hirundo regress record cnf/regress/hirundo.yaml --case bf16"
        })
public final class RegressRecordCommand implements Command {
    private final Trainer trainer;
    private final Interruption interruption;
    private final BundleContext bundles;
    private boolean differs;

    @Parameters(paramLabel = "SET", description = "YAML file of the set; docs/regress.md describes it.")
    private Path set;

    @Option(
            names = "--case",
            paramLabel = "NAME",
            description =
                    "Records this case only, and keeps what the golden file has of others. The case that it is compared with is trained, but not"
                            + " recorded. May be given often.")
    private List<String> names = List.of();

    @Activate
    public RegressRecordCommand(
            @Reference Trainer trainer, @Reference Interruption interruption, BundleContext bundles) {
        this.trainer = trainer;
        this.interruption = interruption;
        this.bundles = bundles;
    }

    @Override
    public Integer call() {
        CaseSet cases = CaseSetReader.read(set);
        List<RegressCase> selected = cases.select(names);
        // Checked before training, because there is nothing to keep without it.
        Optional<Golden> kept = names.isEmpty() ? Optional.empty() : Optional.of(GoldenFile.read(cases.golden()));
        requireWritable(cases.golden());
        var run = new SetRun(trainer, interruption, bundles);
        try {
            run.run(selected, Map.of(), (each, result) -> accept(each, result, run));
        } catch (CancellationException interrupted) {
            return ExitCode.INTERRUPTED;
        }
        if (differs) {
            System.err.println(
                    "Nothing is recorded: cases differ from those that they must equal. Mend that, or take comparedWith out of "
                            + set);
            return ExitCode.DIFFERS;
        }
        kept.ifPresent(earlier -> requireSameMachine(cases, earlier, run));
        GoldenFile.write(cases.golden(), new Golden(run.environment(), recorded(cases, kept, run)));
        System.out.println(cases.golden());
        return ExitCode.OK;
    }

    /** In the order of the set. Cases that are no longer in the set are dropped. */
    private List<CaseRecord> recorded(CaseSet cases, Optional<Golden> kept, SetRun run) {
        if (kept.isEmpty()) {
            return run.results();
        }
        return cases.cases().stream()
                .map(RegressCase::name)
                .flatMap(name -> (names.contains(name)
                                ? Optional.of(run.result(name))
                                : kept.get().find(name))
                        .stream())
                .toList();
    }

    /** A golden file belongs to one kind of machine, which decides whether results must be bitwise equal. */
    private static void requireSameMachine(CaseSet cases, Golden kept, SetRun run) {
        if (!kept.environment().isSameMachineKind(run.environment())) {
            throw new ConfigurationException("--case: " + cases.golden() + " was recorded on another kind of machine ("
                    + kept.environment().difference(run.environment()) + "); record the complete set: "
                    + ShellLine.of("regress", "record", cases.file().toString()));
        }
    }

    private void accept(RegressCase each, CaseRecord result, SetRun run) {
        requireFinite(result);
        Verdict verdict = Verdict.fresh(each.name());
        if (each.comparedWith().isPresent()) {
            var peer = each.comparedWith().get();
            verdict = verdict.with(peer, run.result(peer.name()), result);
        }
        System.out.printf(
                Locale.ROOT,
                "%-30s loss %.6f to %.6f, %s tokens/s, %s%n",
                each.name(),
                result.steps().getFirst().loss(),
                result.steps().getLast().loss(),
                Quantity.compact(result.speed().tokensPerSecond()),
                Quantity.duration((long) (result.speed().seconds() * 1e9)));
        verdict.failures().forEach(line -> System.out.println("  " + line));
        differs |= !verdict.passes();
    }

    private static void requireFinite(CaseRecord result) {
        for (StepRecord step : result.steps()) {
            if (!Double.isFinite(step.loss()) || !Double.isFinite(step.gradientNorm())) {
                throw new DivergedException("case " + result.name() + ": at step " + step.step() + " the loss is "
                        + step.loss() + " and the gradient norm " + step.gradientNorm()
                        + "; record a case that converges, with a lower learning rate for instance");
            }
        }
    }

    private static void requireWritable(Path golden) {
        try {
            AtomicFile.requireWritable(golden);
        } catch (IOException failure) {
            throw new StorageException("cannot write " + OutputFiles.explain(golden, failure), failure);
        }
    }
}
