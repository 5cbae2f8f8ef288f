package io.hirundo.control.internal.command;

import io.hirundo.command.PromptCommand;
import io.hirundo.train.RunControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** The commands of a running training: Hirundo's own and those of other bundles. */
@Component(service = CommandTable.class)
public final class CommandTable {
    private final List<PromptCommand> own;

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    private volatile List<PromptCommand> contributed = List.of();

    @Activate
    public CommandTable(@Reference RunControl control) {
        List<PromptCommand> commands = new ArrayList<>(RunCommands.of(control));
        commands.add(new HelpCommand(this));
        own = List.copyOf(commands);
    }

    /** Adds commands of other bundles. */
    CommandTable(RunControl control, List<PromptCommand> contributed) {
        this(control);
        this.contributed = List.copyOf(contributed);
    }

    /** Hirundo's own first, so that other bundles cannot take their names. */
    List<PromptCommand> all() {
        List<PromptCommand> all = new ArrayList<>(own);
        for (PromptCommand command : contributed) {
            if (all.stream().noneMatch(other -> other.name().equals(command.name()))) {
                all.add(command);
            }
        }
        return all;
    }

    Optional<PromptCommand> find(String name) {
        return all().stream().filter(command -> command.name().equals(name)).findFirst();
    }

    /**
     * Completion candidates for the word at the end of a partly typed line.
     *
     * @return full words, as typed; empty if the line is invalid
     */
    public List<String> complete(String line) {
        List<String> typed;
        try {
            typed = LineScanner.scan(line).typed();
        } catch (MisunderstoodException unfinished) {
            // Entering the line will report the error.
            return List.of();
        }
        String last = typed.getLast();
        List<String> candidates = typed.size() == 1
                ? all().stream().map(PromptCommand::name).toList()
                : find(typed.getFirst())
                        .map(command -> command.complete(typed.subList(1, typed.size())))
                        .orElse(List.of());
        return candidates.stream()
                .filter(candidate -> candidate.startsWith(last))
                .distinct()
                .toList();
    }
}
