package io.hirundo.cli.internal;

import io.hirundo.command.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceObjects;
import org.osgi.framework.ServiceReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands of one command line: fresh instances, arranged as a tree by the words of their paths. Closing the tree
 * returns them to their bundles.
 */
final class CommandTree implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CommandTree.class);
    /** Every terminal has as many. */
    static final int HELP_COLUMNS = 80;

    private final BundleContext context;
    private final String version;
    private final List<Runnable> releases = new ArrayList<>();

    CommandTree(BundleContext context) {
        this.context = context;
        // Show the Maven version: OSGi versions have no "-SNAPSHOT".
        String bundle = context.getBundle().getVersion().toString().replace(".SNAPSHOT", "-SNAPSHOT");
        version = "hirundo " + bundle + ", Java " + Runtime.version();
    }

    /** The commands that these arguments can mean: those under their first word, or all of them for the help. */
    CommandLine build(String... arguments) {
        Map<String, ServiceReference<Command>> references = references();
        String word = arguments.length == 0 ? "" : arguments[0];
        boolean known = references.keySet().stream().anyMatch(path -> isUnder(path, word));
        CommandLine root = new CommandLine(new RootCommand());
        references.forEach((path, reference) -> {
            if (!known || isUnder(path, word)) {
                hang(root, List.of(path.split(" ")), reference);
            }
        });
        finish(root);
        HelpGroups.addTo(root);
        return root;
    }

    private static boolean isUnder(String path, String word) {
        return path.equals(word) || path.startsWith(word + " ");
    }

    /** Sorted by path, shorter ones first, so that a parent exists before its children. */
    private Map<String, ServiceReference<Command>> references() {
        Map<String, ServiceReference<Command>> byPath = new TreeMap<>();
        try {
            for (ServiceReference<Command> reference :
                    context.getServiceReferences(Command.class, "(" + Command.PATH + "=*)")) {
                // Of two commands with one path the higher-ranked one wins, so a bundle can replace a command.
                byPath.merge(
                        reference.getProperty(Command.PATH).toString().strip(),
                        reference,
                        (one, other) -> one.compareTo(other) >= 0 ? one : other);
            }
        } catch (InvalidSyntaxException e) {
            throw new IllegalStateException(e);
        }
        return byPath;
    }

    private void hang(CommandLine root, List<String> path, ServiceReference<Command> reference) {
        ServiceObjects<Command> objects = context.getServiceObjects(reference);
        Command command = objects == null ? null : objects.getService();
        if (command == null) {
            if (objects != null) {
                // The component runtime does not log the cause at the default level.
                LOG.warn(
                        "cannot activate the command {} of {}; to see why, set HIRUNDO_JAVA_OPTS=-Dds.loglevel=error",
                        String.join(" ", path),
                        reference.getBundle());
            }
            return;
        }
        releases.add(() -> objects.ungetService(command));
        CommandLine parent = root;
        for (String word : path.subList(0, path.size() - 1)) {
            CommandLine existing = parent.getSubcommands().get(word);
            parent = existing != null ? existing : group(parent, word);
        }
        parent.addSubcommand(path.getLast(), new CommandLine(command));
    }

    private static CommandLine group(CommandLine parent, String word) {
        CommandLine group = new CommandLine(new CommandGroup());
        parent.addSubcommand(word, group);
        return group;
    }

    /** Sets what all commands have in common, at every level. */
    private void finish(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        if (!spec.mixinStandardHelpOptions()) {
            spec.mixinStandardHelpOptions(true);
        }
        spec.version(version).usageMessage().width(HELP_COLUMNS);
        spec.usageMessage()
                .footer(ExampleLines.within(HELP_COLUMNS, spec.usageMessage().footer())
                        .toArray(String[]::new));
        command.getSubcommands().values().forEach(this::finish);
        if (spec.userObject() instanceof CommandGroup && !(spec.userObject() instanceof RootCommand)) {
            spec.usageMessage()
                    .description("Commands: "
                            + String.join(", ", command.getSubcommands().keySet()) + ".");
        }
    }

    @Override
    public void close() {
        releases.forEach(Runnable::run);
    }
}
