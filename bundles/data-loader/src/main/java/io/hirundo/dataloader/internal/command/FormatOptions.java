package io.hirundo.dataloader.internal.command;

import io.hirundo.data.TextFormat;
import picocli.CommandLine.Option;

/** How the files of {@code --data} are read. */
final class FormatOptions {
    @Option(names = "--format", paramLabel = "NAME", description = TextFormat.LAYOUT_HELP)
    private String layout;

    @Option(names = "--text-field", paramLabel = "NAME", description = TextFormat.FIELD_HELP)
    private String textField;

    TextFormat format() {
        return TextFormat.of(layout, textField);
    }
}
