package io.hirundo.devicecpu.internal.gemm.library;

import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A library's prepared GEMMs by shape. Preparing one takes the library milliseconds, so those used last are kept. Thread-safe, but no GEMM
 * may run during {@link #evict}.
 */
public final class PreparedGemms implements AutoCloseable {
    /** Three GEMMs for each of some tens of weights, up to 12 tile shapes each, for some lengths of sequences. */
    static final int MOST = 2048;

    private final GemmLibrary library;
    private final Map<TileProduct, PreparedProduct> byShape = new LinkedHashMap<>(16, 0.75f, true);

    public PreparedGemms(GemmLibrary library) {
        this.library = library;
    }

    /** The GEMM, prepared now or earlier. */
    public synchronized PreparedProduct of(TileProduct product) {
        PreparedProduct known = byShape.get(product);
        if (known != null) {
            return known;
        }
        PreparedProduct fresh = library.prepare(product);
        byShape.put(product, fresh);
        return fresh;
    }

    /** Closes those used longest ago, beyond the number that is kept. */
    public synchronized void evict() {
        var gemms = byShape.values().iterator();
        for (int excess = byShape.size() - MOST; excess > 0; excess--) {
            gemms.next().close();
            gemms.remove();
        }
    }

    @Override
    public void close() {
        byShape.values().forEach(PreparedProduct::close);
        byShape.clear();
    }
}
