package io.hirundo.dataloader.internal.command;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.command.Interruption;
import io.hirundo.command.Terminal;
import io.hirundo.dataloader.internal.indexed.DatasetVerification;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.stop.Stop;
import io.hirundo.lib.terminal.LiveLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares datasets with their checksums. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=data verify")
@picocli.CommandLine.Command(
        name = "verify",
        description = {
            "Compares every block of datasets with the checksums that were written with them (PREFIX.sums).",
            "With --vocab it reads all token ids, too, also of datasets without checksums.",
            "Names each damaged block, its bytes and its documents, and ends with code 65 if there are any, or if a dataset has no "
                    + "checksums: only data tokenize writes them."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  hirundo data verify datasets/japanese", "  hirundo data verify datasets/japanese datasets/english"
        })
public final class VerifyCommand implements Command {
    /** Damaged blocks of a dataset that are named. */
    private static final int MOST_NAMED = 20;

    /** Between lines of progress where there is no terminal. */
    private static final Duration ELSEWHERE = Duration.ofSeconds(5);

    private final Interruption interruption;

    @Parameters(
            paramLabel = "PREFIX",
            arity = "1..*",
            description = "What the .bin and .idx of a dataset have in common.")
    private List<Path> prefixes;

    @Option(
            names = "--vocab",
            paramLabel = "N",
            description = "Also checks that all token ids are below N, the vocabulary of a model.")
    private Integer vocabulary;

    @Activate
    public VerifyCommand(@Reference Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() {
        if (vocabulary != null && vocabulary < 1) {
            throw new ConfigurationException(
                    "--vocab: " + vocabulary + " is wrong (allowed: 1 or more); give the vocabulary size of the model");
        }
        List<DataException> failures = new ArrayList<>();
        for (Path prefix : prefixes) {
            try (var dataset = IndexedDataset.open(prefix, true, Stop.on(interruption))) {
                if ((vocabulary == null || dataset.hasChecksums()) && !verify(prefix, dataset.verification())) {
                    System.err.println("stopped: not all of " + prefix + " was read");
                    return ExitCode.INTERRUPTED;
                }
                if (vocabulary != null) {
                    verifyTokens(prefix, dataset);
                }
            } catch (DataException damaged) {
                failures.add(damaged);
            }
        }
        if (failures.size() > 1) {
            failures.forEach(failure -> System.err.println(failure.getMessage()));
            throw new DataException(
                    failures.size() + " of " + prefixes.size() + " datasets are not as they were written; see above");
        }
        failures.forEach(failure -> {
            throw failure;
        });
        return ExitCode.OK;
    }

    private void verifyTokens(Path prefix, IndexedDataset dataset) {
        int largest = TokenCensus.of(dataset, Stop.on(interruption)).largestToken();
        if (largest >= vocabulary) {
            throw new DataException(dataset.files().tokens() + " holds token " + largest + ", but a vocabulary of "
                    + vocabulary + " ends with " + (vocabulary - 1) + "; tokenize the text with the model's tokenizer");
        }
        System.out.printf(
                Locale.ROOT,
                "%s: all %,d token ids are below %,d%s%n",
                prefix,
                dataset.tokens(),
                vocabulary,
                dataset.hasChecksums() ? "" : "; there are no checksums to compare");
    }

    /** False when it was stopped. */
    private boolean verify(Path prefix, DatasetVerification verification) {
        var progress = new LiveLine(System.err, Terminal.isThere(), System::nanoTime, ELSEWHERE);
        List<Long> damaged = new ArrayList<>();
        boolean whole;
        try {
            whole = verification.run(
                    damaged::add,
                    bytes -> progress.show(() -> line(prefix, bytes, verification.bytes(), progress.elapsedNanos())),
                    interruption::isRequested);
        } finally {
            progress.end();
        }
        damaged.stream().limit(MOST_NAMED).forEach(block -> System.err.println(verification.describe(block)));
        if (!damaged.isEmpty()) {
            throw new DataException(String.format(
                    Locale.ROOT,
                    "%s is damaged: %,d of %,d blocks differ from their checksums, the first: %s; copy or make the dataset again",
                    prefix,
                    damaged.size(),
                    verification.blocks(),
                    verification.describe(damaged.getFirst())));
        }
        if (whole) {
            System.out.printf(
                    Locale.ROOT,
                    "%s: %,d blocks, %s, are as they were written (%s/s)%n",
                    prefix,
                    verification.blocks(),
                    ByteSize.show(verification.bytes()),
                    rate(verification.bytes(), progress.elapsedNanos()));
        }
        return whole;
    }

    private static String line(Path prefix, long bytes, long of, long nanos) {
        return String.format(
                Locale.ROOT, "verifying %s  %3d%%  %s/s", prefix, 100 * bytes / Math.max(1, of), rate(bytes, nanos));
    }

    private static String rate(long bytes, long nanos) {
        return ByteSize.show((long) (bytes * 1e9 / Math.max(1, nanos)));
    }
}
