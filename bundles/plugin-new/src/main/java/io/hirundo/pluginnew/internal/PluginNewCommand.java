package io.hirundo.pluginnew.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.command.Command;
import io.hirundo.strategy.StrategyRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.SourceVersion;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Creates the project of a new plugin. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=plugin new")
@picocli.CommandLine.Command(
        name = "new",
        description = {
            "Creates a Maven project for a bundle of your own: a small working strategy or command, its options, its contract "
                    + "test, and a README with the commands to build, install and select it (ten minutes: docs/plugins.md).",
            "",
            "Kinds: precision (GEMMs of linear layers), checkpoint (saves and loads training state), store (remote copies of checkpoints), "
                    + "data (a source of samples), tokenizer (text to tokens), monitor (receives a run's events), model (a family: architecture and "
                    + "its Hugging Face folders), format (folders of stored models), device (with your own GEMMs), fabric (collectives of ranks), "
                    + "optimizer (the update rule and its state), learning-rate (of each "
                    + "step), schedule (the order of a pipeline's forwards and backwards), kernels (a family for layers and optimizers), command "
                    + "(hirundo NAME)."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  hirundo plugin new acme-fp32 --kind precision",
            "  hirundo plugin new loss-csv --kind monitor --package org.acme.losses",
            "",
            "Then, in the new folder: mvn package"
        })
public final class PluginNewCommand implements Command {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
    private static final Pattern PACKAGE = Pattern.compile("[a-z][a-z0-9_]*([.][a-z][a-z0-9_]*)*");
    private static final Pattern TAKEN = Pattern.compile("(java|javax|io[.]hirundo)([.].*)?");
    private static final Pattern IMPORT = Pattern.compile("^import (?:static )?[\\w.]*?(\\w+);$", Pattern.MULTILINE);
    private static final int MAX_NAME = 40;
    private static final String HOME = "hirundo.home";

    private final String home;
    private final OurNames ours;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "NAME",
            description = "Its name in a configuration or command line: lowercase letters, digits and single dashes.")
    private String name;

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            required = true,
            completionCandidates = PluginKind.Names.class,
            description = "Kind of plugin: ${COMPLETION-CANDIDATES}.")
    private String kind;

    @Option(
            names = "--directory",
            paramLabel = "D",
            description = "The project's folder, new or empty. Default: NAME in the current folder.")
    private Path directory;

    @Option(
            names = "--package",
            paramLabel = "P",
            description =
                    "Java package of its classes, and the symbolic name of its bundle. Default: org.example. and the letters of NAME.")
    private String packageName;

    @Activate
    public PluginNewCommand(BundleContext context, @Reference StrategyRegistry strategies) {
        this(context.getProperty(HOME), OurNames.of(strategies, context));
    }

    /** The project names the repository in the distribution's folder; null if the framework was not started by its script. */
    PluginNewCommand(String home, OurNames ours) {
        this.home = home;
        this.ours = ours;
    }

    @Override
    public Integer call() {
        PluginProject project = project();
        Map<String, String> files = project.files();
        requireDistinct(project, files);
        Path folder = directory == null ? Path.of(name) : directory;
        NewFolder.write(folder, files);
        System.out.printf(
                "Wrote %s: the %s %s, %d files.%n", folder, project.kind().what(), name, files.size());
        System.out.printf("Next: cd %s && mvn package   (README.md: how to install and use it)%n", folder);
        return ExitCode.OK;
    }

    private PluginProject project() {
        require(
                NAME.matcher(name).matches() && name.length() <= MAX_NAME,
                "NAME must be lowercase letters and digits, words joined by a dash, at most %d characters, not '%s'",
                MAX_NAME,
                name);
        String joined = name.replace("-", "");
        String chosen = packageName == null
                ? "org.example." + (SourceVersion.isName(joined) ? joined : joined + "_")
                : packageName;
        require(
                PACKAGE.matcher(chosen).matches()
                        && SourceVersion.isName(chosen)
                        && !TAKEN.matcher(chosen).matches(),
                "--package must be a package of your own in lowercase letters, for example org.acme.%s, not '%s'",
                joined,
                chosen);
        PluginKind known = PluginKind.of(kind)
                .orElseThrow(() -> misunderstood("--kind: '%s' is wrong (allowed: %s)", kind, PluginKind.names()));
        require(
                !ours.has(known, name),
                "NAME '%s' is taken: Hirundo has %s of this name, which would hide it; choose another, for example acme-%s",
                name,
                known.oneOf(),
                name);
        if (home == null) {
            throw new ConfigurationException(
                    "the system property " + HOME + " is not set: start Hirundo with ./hirundo");
        }
        return new PluginProject(
                name, known, chosen, Path.of(home).toAbsolutePath().normalize());
    }

    /** Rejects a class name that would hide a class that the project uses. */
    private void requireDistinct(PluginProject project, Map<String, String> files) {
        Set<String> imported = files.values().stream()
                .flatMap(text -> IMPORT.matcher(text).results())
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
        for (String end : project.kind().classes()) {
            String own = project.classPrefix() + end;
            require(
                    !imported.contains(own),
                    "NAME cannot be '%s': the project's class %s would hide one of the API",
                    name,
                    own);
        }
    }

    private void require(boolean allowed, String message, Object... values) {
        if (!allowed) {
            throw misunderstood(message, values);
        }
    }

    private ParameterException misunderstood(String message, Object... values) {
        return new ParameterException(spec.commandLine(), message.formatted(values));
    }
}
