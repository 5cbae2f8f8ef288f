package io.hirundo.itests.architecture;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Draws bundles and their packages as an SVG. A bundle is a frame, its packages stand in rows, and each package is above all that it uses.
 * Lines lead to what a package uses, except where another package that it uses leads there.
 */
final class RoomsDrawing {
    private static final int BOX = 112;
    private static final int BOX_HEIGHT = 24;
    private static final int GAP = 12;
    private static final int ROW = 46;
    private static final int TITLE = 34;

    private record Place(int x, int y) {}

    private final StringBuilder svg = new StringBuilder();
    private int width;

    private RoomsDrawing() {}

    /**
     * {@code rows}: bundles side by side, rows from top to bottom. {@code packages}: for each bundle, what its packages use in it, by last
     * part of the name.
     */
    static String of(
            List<List<String>> rows, Map<String, Map<String, Set<String>>> packages, Map<String, Set<String>> uses) {
        return new RoomsDrawing().draw(rows, packages, uses);
    }

    private String draw(
            List<List<String>> rows, Map<String, Map<String, Set<String>>> packages, Map<String, Set<String>> uses) {
        int y = GAP;
        for (List<String> row : rows) {
            int x = GAP;
            int height = 0;
            for (String bundle : row) {
                Map<Integer, List<String>> floors = floors(packages.get(bundle));
                int boxes = floors.values().stream().mapToInt(List::size).max().orElseThrow();
                int frameWidth = Math.max(
                        boxes * (BOX + GAP) + GAP,
                        2 * GAP + legend(uses.get(bundle)).length() * 5);
                int frameHeight = TITLE + floors.size() * ROW + 6;
                frame(bundle, uses.get(bundle), floors, packages.get(bundle), x, y, frameWidth, frameHeight);
                x += frameWidth + GAP;
                height = Math.max(height, frameHeight);
            }
            width = Math.max(width, x);
            y += height + GAP;
        }
        return String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                                + " font-family=\"sans-serif\" font-size=\"12\">%n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>%n",
                        width,
                        y,
                        width,
                        y,
                        width,
                        y)
                + svg
                + "</svg>\n";
    }

    private void frame(
            String bundle,
            Set<String> uses,
            Map<Integer, List<String>> floors,
            Map<String, Set<String>> packages,
            int left,
            int top,
            int frameWidth,
            int frameHeight) {
        line(
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\" stroke=\"#556\"/>",
                left, top, frameWidth, frameHeight, bundle.startsWith("lib-") ? "#e8f4e6" : "#e3eef8");
        line("<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>", left + GAP, top + 16, bundle);
        line("<text x=\"%d\" y=\"%d\" font-size=\"10\" fill=\"#444\">%s</text>", left + GAP, top + 29, legend(uses));
        Map<String, Place> places = new LinkedHashMap<>();
        floors.forEach((floor, names) -> {
            int y = top + TITLE + (floors.size() - floor) * ROW + 10;
            int indent = (frameWidth - names.size() * (BOX + GAP) + GAP) / 2;
            for (int i = 0; i < names.size(); i++) {
                places.put(names.get(i), new Place(left + indent + i * (BOX + GAP), y));
            }
        });
        packages.forEach((user, used) -> direct(used, packages).forEach(below -> {
            Place from = places.get(user);
            Place to = places.get(below);
            line(
                    "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#89a\"/>",
                    from.x + BOX / 2, from.y + BOX_HEIGHT, to.x + BOX / 2, to.y);
        }));
        places.forEach((name, place) -> {
            line(
                    "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"#fff\" stroke=\"#99b\"/>",
                    place.x, place.y, BOX, BOX_HEIGHT);
            line("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>", place.x + BOX / 2, place.y + 16, name);
        });
    }

    private static String legend(Set<String> uses) {
        return uses.isEmpty() ? "uses api" : "uses api, " + String.join(", ", uses);
    }

    /** What is used and not used by another used package, directly or through others. */
    private static Set<String> direct(Set<String> used, Map<String, Set<String>> packages) {
        var direct = new TreeSet<>(used);
        for (String other : used) {
            direct.removeAll(new PackageGraph(packages).reachedFrom(other));
        }
        return direct;
    }

    /** From the lowest, 1, which uses no other package. */
    private static Map<Integer, List<String>> floors(Map<String, Set<String>> packages) {
        var graph = new PackageGraph(packages);
        Map<Integer, List<String>> floors = new TreeMap<>();
        packages.keySet()
                .forEach(name -> floors.computeIfAbsent(graph.floor(name), _ -> new ArrayList<>())
                        .add(name));
        return floors;
    }

    private void line(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
