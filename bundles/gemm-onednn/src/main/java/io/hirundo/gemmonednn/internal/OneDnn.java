package io.hirundo.gemmonednn.internal;

import io.hirundo.HirundoException;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.tensor.DType;
import java.nio.file.Path;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Offers oneDNN to devices on the processor. The library is unpacked and loaded when it is first asked anything. */
@Component
public final class OneDnn implements GemmLibrary {
    /** Framework property, set by the launcher: the cache folder for native libraries. */
    private static final String CACHE = "hirundo.cache";

    private final NativeFiles files;
    private Library library;
    private HirundoException failure;

    @Activate
    public OneDnn(BundleContext context) {
        this(new NativeFiles(cache(context)));
    }

    OneDnn(NativeFiles files) {
        this.files = files;
    }

    private static Path cache(BundleContext context) {
        String cache = context.getProperty(CACHE);
        return cache == null || cache.isBlank() ? null : Path.of(cache);
    }

    @Override
    public String name() {
        return "onednn";
    }

    @Override
    public String description() {
        return library().description();
    }

    @Override
    public Optional<String> obstacle(DType operands) {
        try {
            return library().instructions().obstacle(operands);
        } catch (HirundoException e) {
            return Optional.of(e.getMessage());
        }
    }

    @Override
    public boolean isFaster(DType operands) {
        return operands == DType.BF16 || library().instructions().isFasterInFp32();
    }

    @Override
    public PreparedProduct prepare(TileProduct product) {
        return new MatMul(library(), product);
    }

    /** Loaded once; a failure stays one, because the JVM tries no library twice. */
    private synchronized Library library() {
        if (failure != null) {
            throw failure;
        }
        if (library == null) {
            try {
                library = Library.open(files.load());
            } catch (HirundoException e) {
                failure = e;
                throw e;
            }
        }
        return library;
    }
}
