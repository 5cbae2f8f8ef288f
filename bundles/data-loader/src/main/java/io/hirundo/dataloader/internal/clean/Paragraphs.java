package io.hirundo.dataloader.internal.clean;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Paragraphs of plain text: what blank lines separate. Lines that hold only the signs of a comment or a rule are blank. */
final class Paragraphs {
    private static final Pattern BLANK = Pattern.compile("[\\s*/#%;=_\\-]*");

    private Paragraphs() {}

    static List<String> of(String text) {
        var paragraphs = new ArrayList<String>();
        var paragraph = new StringBuilder();
        for (String line : (Iterable<String>) text.lines()::iterator) {
            if (BLANK.matcher(line).matches()) {
                end(paragraph, paragraphs);
            } else {
                paragraph.append(line.stripTrailing()).append('\n');
            }
        }
        end(paragraph, paragraphs);
        return paragraphs;
    }

    private static void end(StringBuilder paragraph, List<String> paragraphs) {
        if (!paragraph.isEmpty()) {
            paragraphs.add(paragraph.toString().stripTrailing());
            paragraph.setLength(0);
        }
    }
}
