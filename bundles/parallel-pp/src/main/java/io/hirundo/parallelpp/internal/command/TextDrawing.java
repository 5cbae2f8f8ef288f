package io.hirundo.parallelpp.internal.command;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineTimeline;
import io.hirundo.schedule.PipelineTimeline.Span;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A timeline as text: a row for each rank, split into panels if it is wider than the page. With two chunks, the second one's letters
 * are lowercase; with more, a dot and the chunk follow.
 */
final class TextDrawing {
    private static final int LEAST_BETWEEN_TICKS = 8;

    /** One column of a row. */
    private record Cell(String text, Action.Kind kind) {}

    private final PipelineTimeline timeline;
    private final Grid grid;
    private final int chunks;
    private final boolean color;
    private final int columns;
    private final int margin;
    private final int cellWidth;
    private final boolean gaps;
    private final int panelColumns;

    /**
     * @param pageColumns characters per line
     * @param color whether to color action kinds by ANSI codes
     */
    TextDrawing(PipelineTimeline timeline, Grid grid, int chunks, int pageColumns, boolean color) {
        this.timeline = timeline;
        this.grid = grid;
        this.chunks = chunks;
        this.color = color;
        columns = grid.at(timeline.total());
        margin = ("rank " + (timeline.spans().size() - 1)).length() + 2;
        int label =
                spans().mapToInt(span -> label(span.action()).length()).max().orElse(1);
        int shortest = spans().mapToInt(span -> grid.at(span.end()) - grid.at(span.start()))
                .min()
                .orElse(1);
        int room = Math.max(1, pageColumns - margin);
        // Blanks between actions help reading; drop them if the timeline fits on the page only without them.
        int narrow = Math.ceilDiv(label, shortest);
        int wide = Math.ceilDiv(label + 1, shortest);
        gaps = columns * wide <= room || columns * narrow > room;
        cellWidth = gaps ? wide : narrow;
        panelColumns = Math.max(1, Math.min(columns, room / cellWidth));
    }

    private Stream<Span> spans() {
        return timeline.spans().stream().flatMap(List::stream);
    }

    private String label(Action action) {
        if (chunks > 2) {
            return action.label();
        }
        String letter = Character.toString(action.kind().letter());
        return (action.chunk() == 0 ? letter : letter.toLowerCase(Locale.ROOT)) + action.microbatch();
    }

    /** Lines without line breaks. */
    List<String> lines() {
        List<List<Cell>> rows = timeline.spans().stream().map(this::row).toList();
        var lines = new ArrayList<String>();
        for (int from = 0; from < columns; from += panelColumns) {
            int to = Math.min(columns, from + panelColumns);
            if (from > 0) {
                lines.add("");
            }
            lines.add((" ".repeat(margin) + axis(from, to)).stripTrailing());
            for (int rank = 0; rank < rows.size(); rank++) {
                lines.add((pad("rank " + rank, margin) + text(rows.get(rank).subList(from, to))).stripTrailing());
            }
        }
        return lines;
    }

    private List<Cell> row(List<Span> spans) {
        Cell[] cells = new Cell[columns];
        Arrays.fill(cells, new Cell(" ".repeat(cellWidth), null));
        for (Span span : spans) {
            int start = grid.at(span.start());
            int end = grid.at(span.end());
            int width = (end - start) * cellWidth - (gaps ? 1 : 0);
            String label = label(span.action());
            String text =
                    pad(label + (end - start > 1 ? "-".repeat(width - label.length()) : ""), (end - start) * cellWidth);
            for (int column = start; column < end; column++) {
                int first = (column - start) * cellWidth;
                cells[column] = new Cell(
                        text.substring(first, first + cellWidth), span.action().kind());
            }
        }
        return List.of(cells);
    }

    private String axis(int from, int to) {
        int step = step();
        var axis = new StringBuilder();
        for (int column = from; column < to; column++) {
            if (column % step == 0) {
                axis.append(" ".repeat(Math.max(0, (column - from) * cellWidth - axis.length())));
                axis.append(Numbers.of(column * grid.column())).append(' ');
            }
        }
        return axis.toString();
    }

    /** Columns between two axis labels: round times where possible. */
    private int step() {
        int least = Math.ceilDiv(LEAST_BETWEEN_TICKS, cellWidth);
        for (int power = 0; power < 9; power++) {
            for (int factor : new int[] {1, 2, 5}) {
                double step = factor * Math.pow(10, power - 2) / grid.column();
                if (step >= least && Math.abs(step - Math.rint(step)) < 1e-6) {
                    return (int) Math.rint(step);
                }
            }
        }
        return least;
    }

    private String text(List<Cell> cells) {
        var text = new StringBuilder();
        Action.Kind kind = null;
        for (Cell cell : cells) {
            if (color && cell.kind != kind) {
                kind = cell.kind;
                text.append("\u001b[").append(kind == null ? "0" : code(kind)).append('m');
            }
            text.append(cell.text);
        }
        return kind == null ? text.toString() : text.append("\u001b[0m").toString();
    }

    private static String code(Action.Kind kind) {
        return switch (kind) {
            case FORWARD -> "34";
            case BACKWARD_INPUT -> "33";
            case BACKWARD_WEIGHT -> "32";
        };
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
