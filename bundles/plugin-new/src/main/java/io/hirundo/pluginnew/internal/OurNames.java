package io.hirundo.pluginnew.internal;

import io.hirundo.command.Command;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import java.util.ArrayList;
import java.util.List;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;

/**
 * Names of Hirundo's own bundles. A plugin with such a name would be hidden, because the older of two services with one name wins. Names
 * of installed plugins are allowed: the project may be a rewrite of one.
 *
 * @param strategies all names
 * @param commands their first words
 */
record OurNames(List<StrategyInfo> strategies, List<String> commands) {
    private static final String BUNDLES = "io.hirundo.";

    static OurNames of(StrategyRegistry strategies, BundleContext context) {
        List<String> commands = new ArrayList<>();
        try {
            for (ServiceReference<Command> command : context.getServiceReferences(Command.class, null)) {
                if (command.getBundle().getSymbolicName().startsWith(BUNDLES)) {
                    commands.add(String.valueOf(command.getProperty(Command.PATH)));
                }
            }
        } catch (InvalidSyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
        return new OurNames(strategies.list(), commands);
    }

    boolean has(PluginKind kind, String name) {
        return kind == PluginKind.COMMAND
                ? commands.stream().anyMatch(path -> path.equals(name) || path.startsWith(name + " "))
                : strategies.stream()
                        .anyMatch(strategy -> strategy.kind().equals(kind.strategyKind())
                                && strategy.name().equals(name)
                                && strategy.bundle().startsWith(BUNDLES));
    }
}
