package io.hirundo.regress.internal;

import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.ShellLine;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.regress.internal.compare.Verdict;
import io.hirundo.regress.internal.compare.Verdict.Demands;
import io.hirundo.regress.internal.golden.CaseRecord;
import io.hirundo.regress.internal.golden.Environment;
import io.hirundo.regress.internal.golden.Golden;
import io.hirundo.regress.internal.golden.GoldenFile;
import io.hirundo.regress.internal.set.CaseSet;
import io.hirundo.regress.internal.set.CaseSetReader;
import io.hirundo.regress.internal.set.RegressCase;
import io.hirundo.train.Trainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command {@code regress check}: compares the results of a set of cases with its golden file. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=regress check")
@picocli.CommandLine.Command(
        name = "check",
        description = {
            "Trains the cases of a set again and compares them with SET.golden.json: bit by bit on the same kind of machine, on another one "
                    + "within the noise of rounding. Names the first step that differs, and its tensors. Memory must be the same to the byte. Exit "
                    + "code 3 where something differs."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo regress check cnf/regress/hirundo.yaml",
            "  hirundo regress check cnf/regress/hirundo.yaml --case bf16 --case fp32-cp2 --json difference.json"
        })
public final class RegressCheckCommand implements Command {
    private final Trainer trainer;
    private final Interruption interruption;
    private final BundleContext bundles;
    private final List<Verdict> verdicts = new ArrayList<>();

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SET", description = "YAML file of the set; docs/regress.md describes it.")
    private Path set;

    @Option(
            names = "--case",
            paramLabel = "NAME",
            description = "Runs this case only, and the one that it is compared with. May be given often.")
    private List<String> names = List.of();

    @Option(
            names = "--within-noise",
            description = "Lets differences within the noise of rounding pass on the same kind of machine, too.")
    private boolean withinNoise;

    @Option(
            names = "--throughput",
            paramLabel = "PART",
            defaultValue = "0",
            description =
                    "Fails where a case has less than this part of its recorded tokens per second: 0.8 for instance. Default: any will do.")
    private double throughput;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the result there, every difference included.")
    private Path json;

    @Activate
    public RegressCheckCommand(
            @Reference Trainer trainer, @Reference Interruption interruption, BundleContext bundles) {
        this.trainer = trainer;
        this.interruption = interruption;
        this.bundles = bundles;
    }

    @Override
    public Integer call() {
        if (!(throughput >= 0 && throughput <= 10)) {
            throw new ParameterException(
                    spec.commandLine(), "--throughput: " + throughput + " is not a number of 0 to 10");
        }
        CaseSet cases = CaseSetReader.read(set);
        List<RegressCase> selected = cases.select(names);
        Golden golden = GoldenFile.read(cases.golden());
        if (json != null) {
            attempt(() -> AtomicFile.requireWritable(json));
        }
        var run = new SetRun(trainer, interruption, bundles);
        var seconds = golden.cases().stream()
                .collect(Collectors.toMap(CaseRecord::name, each -> each.speed().seconds(), (a, b) -> a));
        try {
            run.run(selected, seconds, (each, result) -> accept(each, result, golden, run));
        } catch (CancellationException interrupted) {
            return ExitCode.INTERRUPTED;
        }
        if (names.isEmpty()) {
            lost(cases, golden);
        }
        Environment now = run.environment();
        if (json != null) {
            attempt(() -> AtomicFile.write(json, VerdictJson.of(set, golden.environment(), now, verdicts)));
        }
        return conclude(golden.environment(), now);
    }

    /** Machine and versions are known after the first result. */
    private void accept(RegressCase each, CaseRecord result, Golden golden, SetRun run) {
        boolean bitwise = !withinNoise && golden.environment().isSameMachineKind(run.environment());
        Verdict verdict =
                Verdict.ofGolden(golden.find(each.name()).orElse(null), result, new Demands(bitwise, throughput));
        if (each.comparedWith().isPresent()) {
            var peer = each.comparedWith().get();
            verdict = verdict.with(peer, run.result(peer.name()), result);
        }
        verdicts.add(verdict);
        System.out.println(VerdictText.line(verdict));
        verdict.failures().forEach(line -> System.out.println("    " + line));
        verdict.notes().forEach(line -> System.out.println("    note: " + line));
    }

    private void lost(CaseSet cases, Golden golden) {
        for (CaseRecord recorded : golden.cases()) {
            if (cases.cases().stream().noneMatch(each -> each.name().equals(recorded.name()))) {
                var verdict = Verdict.failed(
                        recorded.name(), "it was recorded, and the set has no such case; record the set again");
                verdicts.add(verdict);
                System.out.println(VerdictText.line(verdict));
                verdict.failures().forEach(line -> System.out.println("    " + line));
            }
        }
    }

    private int conclude(Environment recorded, Environment now) {
        String changed = recorded.difference(now);
        if (!changed.isEmpty()) {
            System.out.println("since the recording: " + changed);
        }
        long failed = verdicts.stream().filter(verdict -> !verdict.passes()).count();
        if (failed == 0) {
            System.out.println(verdicts.size() + " cases are "
                    + (verdicts.stream().allMatch(VerdictText::isBitwise)
                            ? "bitwise the same"
                            : "the same within noise"));
            return ExitCode.OK;
        }
        System.out.println(failed + " of " + verdicts.size() + " cases differ. If the change is meant to do that: "
                + ShellLine.of("regress", "record", set.toString()));
        return ExitCode.DIFFERS;
    }

    /** An operation on the file of {@code --json}. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    private void attempt(Work work) {
        try {
            work.run();
        } catch (IOException failure) {
            throw new StorageException("--json: cannot write " + OutputFiles.explain(json, failure), failure);
        }
    }
}
