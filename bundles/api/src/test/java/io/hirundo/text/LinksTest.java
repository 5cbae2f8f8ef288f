package io.hirundo.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Relative links of all pages lead to files that exist, and to headings that are in them. */
class LinksTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*)$");
    private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```");

    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @Test
    void leadSomewhere() {
        var broken = new ArrayList<String>();
        for (Path page : Repository.markdown()) {
            if (!page.toString().contains("resources")) {
                Matcher link = LINK.matcher(withoutCode(page));
                while (link.find()) {
                    check(page, link.group(1), link.group(2), broken);
                }
            }
        }
        assertEquals("", String.join("\n", broken));
    }

    private void check(Path page, String target, String anchor, List<String> broken) {
        if (target.contains("://") || target.startsWith("mailto:")) {
            return;
        }
        Path file = target.isEmpty() ? page : page.resolveSibling(target).normalize();
        if (!Files.exists(file)) {
            broken.add(Repository.relative(page) + ": no file " + target);
        } else if (anchor != null
                && file.toString().endsWith(".md")
                && !anchors.computeIfAbsent(file, LinksTest::headings).contains(anchor)) {
            broken.add(Repository.relative(page) + ": no heading #" + anchor + " in " + Repository.relative(file));
        }
    }

    /** Headings as GitHub makes anchors of them. */
    private static Set<String> headings(Path file) {
        return HEADING.matcher(withoutCode(file))
                .results()
                .map(found -> found.group(1)
                        .strip()
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static String withoutCode(Path file) {
        return FENCE.matcher(Repository.text(file)).replaceAll("");
    }
}
