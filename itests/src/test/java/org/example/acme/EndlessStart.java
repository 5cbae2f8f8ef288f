package org.example.acme;

import java.util.concurrent.locks.LockSupport;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** Never returns from its start, and ignores interrupts. */
public final class EndlessStart implements BundleActivator {
    @Override
    public void start(BundleContext context) {
        while (true) {
            LockSupport.park();
            Thread.interrupted();
        }
    }

    @Override
    public void stop(BundleContext context) {}
}
