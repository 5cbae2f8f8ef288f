package io.hirundo.parallelpp.internal.command;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineTimeline;
import io.hirundo.schedule.PipelineTimeline.Span;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A timeline as SVG: a row for each rank, microbatches in the cells, an axis, a legend, and a tooltip for each cell. */
final class SvgDrawing {
    private static final int LEFT = 72;
    private static final int RIGHT = 24;
    private static final int TITLE = 64;
    private static final int ROW = 30;
    private static final int CELL = 26;
    private static final int LEGEND_ENTRY = 26;
    private static final int NARROWEST = 480;
    private static final double LEAST_BETWEEN_TICKS = 48;

    private final PipelineTimeline timeline;
    private final int chunks;
    private final Palette palette;
    private final double scale;
    private final StringBuilder svg = new StringBuilder();

    /** @param chunks on each rank */
    SvgDrawing(PipelineTimeline timeline, int chunks) {
        this.timeline = timeline;
        this.chunks = chunks;
        palette = new Palette(chunks);
        double shortest = spans().mapToDouble(Span::duration).min().orElse(1);
        int digits = spans().mapToInt(
                        span -> Integer.toString(span.action().microbatch()).length())
                .max()
                .orElse(1);
        scale = Math.max(CELL - 4.0, 8.0 * digits + 8) / shortest;
    }

    private Stream<Span> spans() {
        return timeline.spans().stream().flatMap(List::stream);
    }

    /** The whole document. */
    String document(String title, String subtitle) {
        int ranks = timeline.spans().size();
        double right = LEFT + timeline.total() * scale;
        double bottom = TITLE + ranks * (double) ROW;
        double width = Math.max(NARROWEST, right + RIGHT);
        double height = bottom + 44 + 3.0 * LEGEND_ENTRY;
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" viewBox=\"0 0 %s %s\" font-family=\"Helvetica, Arial, sans-serif\">",
                width, height, width, height);
        add("<title>%s</title>", escaped(title));
        add("<rect width=\"100%%\" height=\"100%%\" fill=\"#FFFFFF\"/>");
        add("<text x=\"16\" y=\"26\" font-size=\"17\" font-weight=\"bold\" fill=\"#1F2933\">%s</text>", escaped(title));
        add("<text x=\"16\" y=\"46\" font-size=\"12\" fill=\"#52606D\">%s</text>", escaped(subtitle));
        axis(bottom);
        for (int rank = 0; rank < ranks; rank++) {
            row(rank, right);
        }
        legend(bottom + 44);
        add("</svg>");
        return svg.toString();
    }

    private void axis(double bottom) {
        double step = step();
        for (int tick = 0; tick * step <= timeline.total() + 1e-9; tick++) {
            double x = LEFT + tick * step * scale;
            add(
                    "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"#CBD2D9\" stroke-width=\"1\"/>",
                    x, TITLE - 4, x, bottom + 5);
            add(
                    "<text x=\"%s\" y=\"%s\" font-size=\"11\" text-anchor=\"middle\" fill=\"#52606D\">%s</text>",
                    x, bottom + 18, Numbers.of(tick * step));
        }
    }

    /** Tick distance of the axis: 1, 2 or 5 times a power of ten. */
    private double step() {
        double step = Math.pow(10, Math.floor(Math.log10(LEAST_BETWEEN_TICKS / scale)));
        for (double factor : new double[] {1, 2, 5}) {
            if (step * factor * scale >= LEAST_BETWEEN_TICKS) {
                return step * factor;
            }
        }
        return 10 * step;
    }

    private void row(int rank, double right) {
        double y = TITLE + rank * (double) ROW;
        add(
                "<text x=\"%s\" y=\"%s\" font-size=\"13\" text-anchor=\"end\" fill=\"#1F2933\">rank %s</text>",
                LEFT - 10, y + CELL / 2.0 + 4.5, rank);
        add("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"#F0F2F5\"/>", LEFT, y, right - LEFT, CELL);
        for (Span span : timeline.spans().get(rank)) {
            cell(span, y);
        }
    }

    private void cell(Span span, double y) {
        Action action = span.action();
        double x = LEFT + span.start() * scale;
        double width = span.duration() * scale;
        add("<g><title>%s, %s to %s</title>", says(action), Numbers.of(span.start()), Numbers.of(span.end()));
        add(
                "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\" stroke=\"#FFFFFF\" stroke-width=\"1\"/>",
                x, y, width, CELL, palette.fill(action.kind(), action.chunk()));
        add(
                "<text x=\"%s\" y=\"%s\" font-size=\"12\" text-anchor=\"middle\" fill=\"#1F2933\">%s</text></g>",
                x + width / 2, y + CELL / 2.0 + 4.5, action.microbatch());
    }

    private String says(Action action) {
        return Palette.words(action.kind()) + ", microbatch " + action.microbatch()
                + (chunks > 1 ? ", chunk " + action.chunk() : "");
    }

    private void legend(double top) {
        Action.Kind[] kinds = Action.Kind.values();
        for (int line = 0; line < kinds.length; line++) {
            double y = top + line * (double) LEGEND_ENTRY;
            double x = LEFT;
            for (int chunk = 0; chunk < chunks; chunk++) {
                add(
                        "<rect x=\"%s\" y=\"%s\" width=\"20\" height=\"16\" fill=\"%s\"/>",
                        x, y, palette.fill(kinds[line], chunk));
                x += 22;
            }
            String which = chunks == 1 ? "" : ", chunks 0 " + (chunks == 2 ? "and " : "to ") + (chunks - 1);
            add(
                    "<text x=\"%s\" y=\"%s\" font-size=\"12\" fill=\"#1F2933\">%s%s</text>",
                    x + 6, y + 12.5, Palette.words(kinds[line]), which);
        }
    }

    /** One line; numbers with two decimals at most. */
    private void add(String line, Object... arguments) {
        for (int index = 0; index < arguments.length; index++) {
            if (arguments[index] instanceof Double number) {
                arguments[index] = Numbers.of(number);
            }
        }
        svg.append(String.format(Locale.ROOT, line, arguments)).append('\n');
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
