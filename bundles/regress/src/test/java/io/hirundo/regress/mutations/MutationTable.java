package io.hirundo.regress.mutations;

import io.hirundo.regress.mutations.Experiment.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints the table of docs/correctness.md: {@code tools/mutations}. */
final class MutationTable {
    private MutationTable() {}

    /** The first argument is a folder for the runs, which the caller removes. */
    public static void main(String[] arguments) throws IOException {
        var experiment = new Experiment(Files.createDirectories(Path.of(arguments[0])));
        System.out.println(
                "| Fault | Parity check | `regress check` | Audit, " + Experiment.AUDIT_RATE + " tiles a step |");
        System.out.println("|---|---|---|---|");
        for (Fault fault : Faults.all()) {
            System.out.println("| " + fault.name() + " | " + cell(experiment.gate(fault)) + " | "
                    + cell(experiment.regress(fault)) + " | " + cell(experiment.audit(fault)) + " |");
        }
    }

    private static String cell(Outcome outcome) {
        return outcome.noticed() ? outcome.text() : "no: " + outcome.text();
    }
}
