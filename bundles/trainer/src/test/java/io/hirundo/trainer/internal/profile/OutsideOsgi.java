package io.hirundo.trainer.internal.profile;

import io.hirundo.gemmonednn.internal.OneDnn;
import io.hirundo.kernel.host.GemmLibrary;
import java.lang.reflect.Proxy;
import org.osgi.framework.BundleContext;

/** Services without a framework. */
final class OutsideOsgi {
    private OutsideOsgi() {}

    /** A framework without properties, so that native libraries are unpacked for this process alone. */
    static GemmLibrary oneDnn() {
        return new OneDnn((BundleContext) Proxy.newProxyInstance(
                OutsideOsgi.class.getClassLoader(),
                new Class<?>[] {BundleContext.class},
                (proxy, method, arguments) -> null));
    }
}
