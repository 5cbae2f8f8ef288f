package io.hirundo.dataloader.internal.command;

import io.hirundo.data.TextFormat;
import picocli.CommandLine.Option;

/** How the files of {@code --data} are read. */
final class FormatOptions {
    @Option(
            names = "--format",
            paramLabel = "NAME",
            description =
                    "auto: each file's name and first lines decide. jsonl: JSON lines. text: plain text, JSON too. Default: auto.")
    private String layout;

    @Option(
            names = "--text-field",
            paramLabel = "NAME",
            description = "Field of JSON lines that holds the text. All files must be JSON lines. Default: text.")
    private String textField;

    TextFormat format() {
        return TextFormat.of(layout, textField);
    }
}
