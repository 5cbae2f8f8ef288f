package io.hirundo.trainer.internal.audit.reaction;

import io.hirundo.event.TrainingEvent.AuditFound;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Serializes findings as text, to send them to other processes. */
public final class FindingText {
    private static final int FIELDS = 11;

    private FindingText() {}

    /** One line per finding. */
    public static String of(List<AuditFound> all) {
        return all.stream().map(FindingText::line).collect(Collectors.joining());
    }

    private static String line(AuditFound found) {
        return Stream.of(
                                found.step(),
                                found.rank(),
                                found.operation(),
                                found.place(),
                                found.call(),
                                found.row(),
                                found.column(),
                                found.expected(),
                                found.found(),
                                found.bound(),
                                found.replay())
                        .map(field -> field.toString().replaceAll("\\s+", " "))
                        .collect(Collectors.joining("\t"))
                + "\n";
    }

    /** Parses the output of {@link #of}. */
    public static Stream<AuditFound> parse(String lines) {
        return lines.lines().map(FindingText::found);
    }

    private static AuditFound found(String line) {
        String[] fields = line.split("\t", FIELDS);
        return new AuditFound(
                Long.parseLong(fields[0]),
                Integer.parseInt(fields[1]),
                fields[2],
                fields[3],
                Integer.parseInt(fields[4]),
                Long.parseLong(fields[5]),
                Long.parseLong(fields[6]),
                Double.parseDouble(fields[7]),
                Double.parseDouble(fields[8]),
                Double.parseDouble(fields[9]),
                fields[10]);
    }
}
