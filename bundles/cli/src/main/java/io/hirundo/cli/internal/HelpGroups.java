package io.hirundo.cli.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Groups the list of commands in the help by purpose. Commands of unknown bundles come last. */
final class HelpGroups {
    private static final int NAME_COLUMNS = 20;
    private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

    static {
        GROUPS.put("Begin", List.of("quickstart", "doctor"));
        GROUPS.put("Prepare text", List.of("data"));
        GROUPS.put("Train", List.of("plan", "audit", "train", "attach", "schedule", "config"));
        GROUPS.put("Save and convert", List.of("checkpoint"));
        GROUPS.put("Inspect a run or a model", List.of("report", "precision-report", "eval", "generate"));
        GROUPS.put("Extend and set up", List.of("plugins", "plugin", "regress", "completion", "gpu-suite"));
    }

    private static final String OTHERS = "Other commands";

    private HelpGroups() {}

    /** Lists the subcommands of this command in groups. */
    static void addTo(CommandLine command) {
        command.getHelpSectionMap().remove(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING);
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpGroups::render);
    }

    private static String render(Help help) {
        var left = new LinkedHashMap<>(help.subcommands());
        var text = new StringBuilder();
        GROUPS.forEach((title, names) ->
                append(title, names.stream().filter(left::containsKey).toList(), left, help, text));
        append(OTHERS, new ArrayList<>(left.keySet()), left, help, text);
        return text.toString();
    }

    private static void append(
            String title, List<String> names, Map<String, Help> left, Help help, StringBuilder text) {
        if (names.isEmpty()) {
            return;
        }
        int width = help.commandSpec().usageMessage().width();
        TextTable table = TextTable.forColumns(
                help.colorScheme(),
                new Column(NAME_COLUMNS, 2, Overflow.SPAN),
                new Column(width - NAME_COLUMNS, 2, Overflow.WRAP));
        for (String name : names) {
            UsageMessageSpec usage = left.remove(name).commandSpec().usageMessage();
            String[] description = usage.description();
            table.addRowValues(name, description.length == 0 ? "" : firstSentence(description[0]));
        }
        text.append(String.format("%n%s:%n", title)).append(table);
    }

    private static String firstSentence(String description) {
        int end = description.indexOf(". ");
        return end < 0 ? description : description.substring(0, end + 1);
    }
}
