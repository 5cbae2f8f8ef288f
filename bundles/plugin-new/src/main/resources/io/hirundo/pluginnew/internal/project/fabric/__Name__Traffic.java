package __package__;

import io.hirundo.tensor.Tensor;
import java.util.Locale;

/** What one rank has communicated. Confined to its thread, as groups are. */
final class __Name__Traffic {
    private long calls;
    private long bytes;

    /** Counts a collective or a transfer by the tensor that all ranks see alike. */
    void add(Tensor tensor) {
        calls++;
        bytes += tensor.byteSize();
    }

    /** A line, as in {@code 12 collectives and transfers of 3.4 MB}. */
    String summary() {
        return String.format(Locale.ROOT, "%d collectives and transfers of %.1f MB", calls, bytes / 1e6);
    }
}
