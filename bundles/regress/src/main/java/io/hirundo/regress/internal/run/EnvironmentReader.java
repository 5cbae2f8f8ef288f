package io.hirundo.regress.internal.run;

import io.hirundo.device.DeviceInfo;
import io.hirundo.lib.plugin.BundleDigest;
import io.hirundo.regress.internal.golden.Environment;
import java.util.TreeMap;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

/** Reads the environment of this process: device, Java and versions. */
public final class EnvironmentReader {
    private EnvironmentReader() {}

    /** {@code bundles}: the framework's bundle context; null outside of a framework, where no bundle is listed. */
    public static Environment read(DeviceInfo device, BundleContext bundles) {
        var machine = new TreeMap<String, String>();
        machine.put("device", device.backend() + ", " + device.arch());
        machine.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        machine.put("processor", device.name());
        var versions = new TreeMap<String, String>();
        versions.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        if (bundles != null) {
            for (Bundle bundle : bundles.getBundles()) {
                if (bundle.getSymbolicName() != null && bundle.getSymbolicName().startsWith("io.hirundo.")) {
                    String digest = BundleDigest.of(bundle);
                    versions.put(
                            "bundle " + bundle.getSymbolicName(),
                            bundle.getVersion() + " " + digest.substring(digest.lastIndexOf(' ') + 1));
                }
            }
        }
        return new Environment(machine, versions);
    }
}
