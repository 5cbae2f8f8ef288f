package io.hirundo.monitor.internal.console;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A terminal of one window: understands carriage return, erase to the end of the line, colors and the wrap mode. */
final class Screen {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    PrintStream stream() {
        return stream;
    }

    String raw() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** What is to be seen, row by row; the last is where the cursor is. */
    List<String> rows() {
        var rows = new ArrayList<StringBuilder>(List.of(new StringBuilder()));
        int column = 0;
        String text = raw();
        for (int i = 0; i < text.length(); i++) {
            StringBuilder row = rows.getLast();
            char c = text.charAt(i);
            switch (c) {
                case '\n' -> {
                    rows.add(new StringBuilder());
                    column = 0;
                }
                case '\r' -> column = 0;
                case '\u001b' -> {
                    int end = i + 1;
                    while (!Character.isLetter(text.charAt(end))) {
                        end++;
                    }
                    switch (text.charAt(end)) {
                        case 'K' -> row.setLength(Math.min(row.length(), column));
                        case 'm', 'l', 'h' -> {}
                        default -> throw new AssertionError("unknown escape " + text.substring(i + 1, end + 1));
                    }
                    i = end;
                }
                default -> {
                    row.replace(column, Math.min(column + 1, row.length()), String.valueOf(c));
                    column++;
                }
            }
        }
        return rows.stream().map(StringBuilder::toString).toList();
    }
}
