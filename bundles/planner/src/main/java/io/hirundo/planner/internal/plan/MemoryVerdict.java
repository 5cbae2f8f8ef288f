package io.hirundo.planner.internal.plan;

import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.terminal.WrappedText;
import java.util.Comparator;
import java.util.Locale;

/** Formats whether a run fits into the memory of its devices, and what would change it. */
final class MemoryVerdict {
    /** From here on sizes are in GB. */
    private static final long GIGABYTES = 100_000_000;

    private MemoryVerdict() {}

    /** The lines at the top of a forecast. */
    static String of(RunForecast forecast) {
        var text = new StringBuilder();
        long peak = forecast.heaviest().peakTotalBytes();
        long device = forecast.deviceMemoryBytes();
        UncountedMemory uncounted = forecast.uncounted();
        String where = forecast.counted().ranks().size() == 1 ? "" : " on the fullest rank, " + place(forecast);
        if (device == 0) {
            line(text, "needs %s%s; compare with a device by --device-gb", size(peak), where);
        } else if (!forecast.fits()) {
            line(text, "DOES NOT FIT: %s of %s%s", number(peak, device), size(device), where);
            doesNotFit(text, forecast);
        } else if (peak + uncounted.bytes() > device) {
            line(
                    text,
                    "MAY NOT FIT: %s of %s%s, and with the estimates below %s",
                    number(peak, device),
                    size(device),
                    where,
                    size(peak + uncounted.bytes()));
        } else {
            line(
                    text,
                    "fits: %s of %s%s; %s left",
                    number(peak, device),
                    size(device),
                    where,
                    size(device - peak - uncounted.bytes()));
        }
        if (uncounted.bytes() > 0) {
            line(
                    text,
                    "Not allocated by the run, estimates: driver context %s, fragmentation %s; with NCCL its buffers, too: %s",
                    size(uncounted.contextBytes()),
                    size(uncounted.fragmentationBytes()),
                    size(uncounted.ncclBytes()));
        }
        // Not the categories' own peaks: a category that peaks at another time may have few bytes at the total peak, so
        // less of it frees little.
        var largest = forecast.heaviest().bytesAtPeak().entrySet().stream()
                .max(Comparator.comparing(each -> each.getValue()))
                .orElseThrow();
        line(
                text,
                "At the total peak most are %s, %s: %s",
                name(largest.getKey()),
                size(largest.getValue()),
                forecast.stages().remedies().get(largest.getKey()));
        return text.toString();
    }

    private static String place(RunForecast forecast) {
        int rank = forecast.heaviestRank();
        return "rank " + rank
                + (forecast.stages().blocks().size() > 1
                        ? ", stage " + forecast.stages().of(rank)
                        : "");
    }

    /** Distinguishes the machine's memory from that of a cluster, for users who plan a cluster run on a single machine. */
    private static void doesNotFit(StringBuilder text, RunForecast forecast) {
        if (forecast.machineMemoryBytes() != forecast.deviceMemoryBytes()) {
            line(
                    text,
                    "%d ranks share the %,d bytes of this machine, %,d each",
                    forecast.counted().ranks().size(),
                    forecast.machineMemoryBytes(),
                    forecast.deviceMemoryBytes());
        }
    }

    static String name(MemoryCategory category) {
        return category.name().toLowerCase(Locale.ROOT);
    }

    /** In the unit of {@code like}, without it. */
    private static String number(long bytes, long like) {
        return like < GIGABYTES
                ? String.format(Locale.ROOT, "%,.3f", bytes / 1e6)
                : String.format(Locale.ROOT, "%,.1f", bytes / 1e9);
    }

    private static String size(long bytes) {
        return number(bytes, bytes) + (bytes < GIGABYTES ? " MB" : " GB");
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(WrappedText.of(String.format(Locale.ROOT, format, arguments), 2))
                .append('\n');
    }
}
