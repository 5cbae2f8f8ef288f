package io.hirundo.lib.run.config;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.configuration.binding.ChoiceResolver;
import io.hirundo.lib.configuration.binding.Overrides;
import io.hirundo.lib.configuration.binding.Problems;
import io.hirundo.lib.configuration.binding.RecordBinder;
import io.hirundo.lib.configuration.binding.Trees;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.lib.configuration.document.JsonText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Binds a file or plain values to the configuration of a run, and writes it back. All errors are
 * reported together, each with its path, its value and what is allowed.
 */
public final class ConfigurationBinder {
    private final ChoiceResolver resolver;

    /**
     * A binder.
     *
     * @param resolver checks choices and completes their options; {@link ChoiceResolver#unchecked} leaves them as they are
     */
    public ConfigurationBinder(ChoiceResolver resolver) {
        this.resolver = resolver;
    }

    /**
     * Reads a file.
     *
     * @param file JSON or YAML, as its name says
     * @param overrides {@code path=value} each, applied in order
     * @throws ConfigurationException when it is not a valid configuration
     */
    public RunConfiguration read(Path file, List<String> overrides) {
        return bind(file.toString(), Documents.read(file), overrides);
    }

    /**
     * Binds plain values.
     *
     * @throws ConfigurationException when they are not a valid configuration
     */
    public RunConfiguration bind(Map<String, Object> values) {
        return bind("", values, List.of());
    }

    /**
     * Binds plain values that the overrides are put over.
     *
     * @param subject where the values come from, for messages; may be empty
     */
    public RunConfiguration bind(String subject, Map<String, Object> values, List<String> overrides) {
        Problems problems = new Problems();
        Map<String, Object> document = new Overrides(RunConfiguration.class).apply(values, overrides, problems);
        requireKnownVersion(subject, document);
        RunConfiguration configuration =
                new RecordBinder(resolver, problems).bind(RunConfiguration.class, document, "");
        if (configuration != null) {
            new ConfigurationCheck(problems).check(configuration);
        }
        problems.throwIfAny(subject);
        return configuration;
    }

    /** A newer format may change the meaning of any key, so other errors are not reported. */
    private static void requireKnownVersion(String subject, Map<String, Object> values) {
        if (values.get("schemaVersion") instanceof Number version
                && version.doubleValue() > RunConfiguration.SCHEMA_VERSION) {
            Problems problems = new Problems();
            problems.add(
                    "schemaVersion",
                    version + " is newer than this Hirundo understands; allowed: " + RunConfiguration.SCHEMA_VERSION
                            + ". Use the version of Hirundo that wrote it, or a newer one");
            problems.throwIfAny(subject);
        }
    }

    /** Plain values that bind to an equal configuration, defaults written out. */
    public static Map<String, Object> values(RunConfiguration configuration) {
        return Trees.of(configuration);
    }

    /** The text of a {@code config.json}. */
    public static String json(RunConfiguration configuration) {
        return JsonText.pretty(values(configuration));
    }
}
