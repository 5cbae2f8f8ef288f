package io.hirundo.launcher;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.namespace.ExecutionEnvironmentNamespace;
import org.osgi.framework.namespace.PackageNamespace;
import org.osgi.framework.wiring.BundleCapability;
import org.osgi.framework.wiring.BundleRequirement;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.FrameworkWiring;
import org.osgi.resource.Namespace;
import org.osgi.resource.Requirement;
import org.osgi.resource.Resource;

/** Explains briefly why a bundle does not resolve. */
final class MissingRequirement {
    private MissingRequirement() {}

    /** One line for each unresolved bundle, with the reason and the remedy. */
    static List<String> lines(Map<Path, Bundle> bundles, FrameworkWiring framework) {
        return bundles.entrySet().stream()
                .filter(each -> each.getValue().getState() == Bundle.INSTALLED)
                .map(each -> line(each.getKey(), each.getValue(), framework))
                .toList();
    }

    private static String line(Path jar, Bundle bundle, FrameworkWiring framework) {
        List<String> missing = of(bundle, framework);
        String reason = missing.isEmpty()
                ? "its requirements can be met one by one, but not together"
                : "nothing provides " + String.join("; ", missing);
        return "bundle " + bundle.getSymbolicName() + " (" + jar + ") does not resolve: " + reason
                + ". Build it for the available versions, add what is missing, or remove it";
    }

    /** The requirements that nobody provides; empty if each can be met alone, but not all together. */
    private static List<String> of(Bundle bundle, FrameworkWiring framework) {
        return bundle.adapt(BundleRevision.class).getDeclaredRequirements(null).stream()
                .filter(MissingRequirement::mustBeMet)
                .filter(requirement -> nobodyOffers(requirement, framework))
                .map(requirement -> describe(requirement) + whatIsThere(requirement, framework))
                .toList();
    }

    private static boolean mustBeMet(BundleRequirement requirement) {
        Map<String, String> directives = requirement.getDirectives();
        String resolution =
                directives.getOrDefault(Namespace.REQUIREMENT_RESOLUTION_DIRECTIVE, Namespace.RESOLUTION_MANDATORY);
        String effective =
                directives.getOrDefault(Namespace.REQUIREMENT_EFFECTIVE_DIRECTIVE, Namespace.EFFECTIVE_RESOLVE);
        return resolution.equals(Namespace.RESOLUTION_MANDATORY) && effective.equals(Namespace.EFFECTIVE_RESOLVE);
    }

    private static boolean nobodyOffers(BundleRequirement requirement, FrameworkWiring framework) {
        // A bundle may import a package that it exports.
        List<BundleCapability> own = requirement.getRevision().getDeclaredCapabilities(requirement.getNamespace());
        return framework.findProviders(requirement).isEmpty() && own.stream().noneMatch(requirement::matches);
    }

    /** The available other versions of a package. */
    private static String whatIsThere(BundleRequirement requirement, FrameworkWiring framework) {
        if (!requirement.getNamespace().equals(PackageNamespace.PACKAGE_NAMESPACE)) {
            return "";
        }
        String filter = requirement.getDirectives().getOrDefault(Namespace.REQUIREMENT_FILTER_DIRECTIVE, "");
        String anyVersion = "(" + PackageNamespace.PACKAGE_NAMESPACE + "="
                + termsOf(filter, PackageNamespace.PACKAGE_NAMESPACE + "=") + ")";
        Requirement sought = new Requirement() {
            @Override
            public String getNamespace() {
                return PackageNamespace.PACKAGE_NAMESPACE;
            }

            @Override
            public Map<String, String> getDirectives() {
                return Map.of(Namespace.REQUIREMENT_FILTER_DIRECTIVE, anyVersion);
            }

            @Override
            public Map<String, Object> getAttributes() {
                return Map.of();
            }

            @Override
            public Resource getResource() {
                return requirement.getResource();
            }
        };
        String offers = framework.findProviders(sought).stream()
                .map(offer -> offer.getAttributes().get(PackageNamespace.CAPABILITY_VERSION_ATTRIBUTE) + " of "
                        + offer.getRevision().getSymbolicName())
                .sorted()
                .collect(Collectors.joining(", "));
        return offers.isEmpty() ? "" : " (available: " + offers + ")";
    }

    private static String describe(BundleRequirement requirement) {
        String filter = requirement.getDirectives().getOrDefault(Namespace.REQUIREMENT_FILTER_DIRECTIVE, "");
        return switch (requirement.getNamespace()) {
            case PackageNamespace.PACKAGE_NAMESPACE ->
                "package " + readable(filter, PackageNamespace.PACKAGE_NAMESPACE);
            case ExecutionEnvironmentNamespace.EXECUTION_ENVIRONMENT_NAMESPACE ->
                "Java " + readable(filter, ExecutionEnvironmentNamespace.EXECUTION_ENVIRONMENT_NAMESPACE)
                        + " (this is Java " + Runtime.version().feature() + ")";
            default -> requirement.getNamespace() + " " + filter;
        };
    }

    /** {@code (&(osgi.wiring.package=a.b)(version>=2.0.0)(!(version>=3.0.0)))} becomes {@code a.b, version >= 2.0.0 and < 3.0.0}. */
    private static String readable(String filter, String namespace) {
        String name = termsOf(filter, namespace + "=");
        String versions = termsOf(filter.replace("(!(version>=", "(version<"), Constants.VERSION_ATTRIBUTE)
                .replace(">=", ">= ")
                .replace("<", "< ");
        return versions.isEmpty() ? name : name + ", version " + versions;
    }

    private static String termsOf(String filter, String start) {
        return List.of(filter.split("[()]+")).stream()
                .map(String::strip)
                .filter(term -> term.toLowerCase(Locale.ROOT).startsWith(start))
                .map(term -> term.substring(start.length()))
                .collect(Collectors.joining(" and "));
    }
}
