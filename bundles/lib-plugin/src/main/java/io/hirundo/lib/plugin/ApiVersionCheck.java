package io.hirundo.lib.plugin;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.osgi.framework.Bundle;
import org.osgi.framework.Version;
import org.osgi.framework.namespace.PackageNamespace;
import org.osgi.framework.wiring.BundleRequirement;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.resource.Namespace;

/**
 * Rejects bundles that were built for an API before the last incompatible change. Below 1.0, their version ranges end at 1.0, so
 * they would resolve and fail with a {@link LinkageError} in the middle of a run.
 */
final class ApiVersionCheck {
    /** Version of the API's packages at the last incompatible change of all. */
    private static final Version OLDEST = new Version(0, 27, 0);

    /** Of packages that changed incompatibly since then. */
    private static final Map<String, Version> OLDEST_OF_PACKAGE =
            Map.of("io.hirundo.kernel.optimizer", new Version(0, 28, 0));

    /** Packages of the API; shared libraries have versions of their own. */
    private static final Pattern API_PACKAGE =
            Pattern.compile(Pattern.quote("(" + PackageNamespace.PACKAGE_NAMESPACE + "=")
                    + "(io\\.hirundo(?!\\.lib\\.)(?:\\.[^)]*)?)\\)");

    private static final Pattern LOWEST_VERSION =
            Pattern.compile("(?<!\\(!)\\(" + PackageNamespace.CAPABILITY_VERSION_ATTRIBUTE + ">=([^)]+)\\)");

    private ApiVersionCheck() {}

    /** An import without a version admits every API: its author answers for it. */
    static void check(Bundle bundle) throws UnusablePluginException {
        for (BundleRequirement required :
                bundle.adapt(BundleRevision.class).getDeclaredRequirements(PackageNamespace.PACKAGE_NAMESPACE)) {
            String filter = required.getDirectives().getOrDefault(Namespace.REQUIREMENT_FILTER_DIRECTIVE, "");
            Matcher imported = API_PACKAGE.matcher(filter);
            Matcher lowest = LOWEST_VERSION.matcher(filter);
            if (!imported.find() || !lowest.find()) {
                continue;
            }
            Version oldest = OLDEST_OF_PACKAGE.getOrDefault(imported.group(1), OLDEST);
            if (new Version(lowest.group(1)).compareTo(oldest) < 0) {
                throw new UnusablePluginException(
                        "it was built for version " + lowest.group(1) + " of " + imported.group(1)
                                + ", and the API has changed incompatibly since then; build it again for version "
                                + oldest + " or later");
            }
        }
    }
}
