package io.hirundo.gpusuite.internal.bench;

import java.util.Locale;

/** Formats the measured times as Markdown. */
final class BenchmarkTable {
    private final CopyRates copies;
    private final StringBuilder rows = new StringBuilder();

    BenchmarkTable(CopyRates copies) {
        this.copies = copies;
    }

    void add(Benchmark benchmark, double ours, TorchSide.Answer theirs) {
        boolean moves = benchmark.flops() == 0;
        String rate = moves
                ? format("%.1f GB/s", benchmark.bytes() / ours / 1e9)
                : format("%.2f TFLOP/s", benchmark.flops() / ours / 1e12);
        String share = moves ? format("%.0f %%", 100 * benchmark.bytes() / ours / copies.withinBytesPerSecond()) : "";
        rows.append(format(
                "| %s | %.4f | %s | %s | %s | %s | %s |%n",
                benchmark.request(),
                ours * 1e3,
                rate,
                share,
                theirs.seconds().map(seconds -> format("%.4f", seconds * 1e3)).orElse(""),
                theirs.seconds().map(seconds -> format("%.2f", seconds / ours)).orElse(""),
                theirs.remark().replace("|", "/")));
    }

    String text() {
        return "| Copies | GB/s |\n|---|---|\n"
                + format("| within the GPU, read and written | %.1f |%n", copies.withinBytesPerSecond() / 1e9)
                + format("| to the GPU | %.1f |%n", copies.uploadBytesPerSecond() / 1e9)
                + format("| from the GPU | %.1f |%n", copies.downloadBytesPerSecond() / 1e9)
                + "\nProducts are of M, N, K; attention of query heads, key/value heads, tokens, channels of a head; others of tokens and channels."
                + " A share is that of the rate of copies within the GPU, with the bytes that the work has to move at least; above 1, we are"
                + " faster than PyTorch by as much.\n\n"
                + "| | ours, ms | | share | PyTorch, ms | PyTorch / ours | PyTorch's way |\n|---|---|---|---|---|---|---|\n"
                + rows;
    }

    private static String format(String text, Object... values) {
        return String.format(Locale.ROOT, text, values);
    }
}
