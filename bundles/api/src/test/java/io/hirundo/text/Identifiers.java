package io.hirundo.text;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The names that a Java source declares, as words: {@code waysOut} is {@code ways out}, and a type {@code EventBus} is
 * {@code type event bus}. A name counts as declared where it stands alone. A name after a dot belongs to another type, and a type's
 * name is declared after {@code class}, {@code record}, {@code interface} or {@code enum} only.
 */
final class Identifiers {
    private static final Set<String> TYPES = Set.of("class", "record", "interface", "enum");

    /** A name and its first line. */
    record Name(String name, int line, boolean isType) {
        /** Its words, in lower case. */
        String words() {
            String words = name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+", " ")
                    .strip()
                    .toLowerCase(Locale.ROOT);
            return isType ? "type " + words : words;
        }
    }

    private Identifiers() {}

    /** Findings in the names of a source, each once. An unknown name of an import is none. */
    static List<Finding> search(Glossary glossary, Path file, String source) {
        return of(source).stream()
                .flatMap(name -> glossary.search(file, name.words()).stream()
                        .map(finding -> new Finding(file, name.line(), name.name(), finding.instead())))
                .distinct()
                .collect(Collectors.toList());
    }

    /** Each name once, in the order of the source. */
    static List<Name> of(String source) {
        String code = SourceText.codeOf(source);
        var names = new ArrayList<Name>();
        var seen = new HashSet<String>();
        String last = "";
        char before = ' ';
        int line = 1;
        for (int at = 0; at < code.length(); at++) {
            char c = code.charAt(at);
            if (c == '\n') {
                line++;
            } else if (Character.isJavaIdentifierStart(c)) {
                int begin = at;
                while (at + 1 < code.length() && Character.isJavaIdentifierPart(code.charAt(at + 1))) {
                    at++;
                }
                String name = code.substring(begin, at + 1);
                if (name.equals("import") || name.equals("package")) {
                    at = code.indexOf(';', at);
                } else if (before != '.' && before != ':' && isDeclared(name, last) && seen.add(name)) {
                    names.add(new Name(name, line, isType(name)));
                }
                last = name;
                before = 'a';
            } else if (c > ' ') {
                before = c == ':' && at > 0 && code.charAt(at - 1) != ':' ? ' ' : c;
                last = "";
            }
        }
        return names;
    }

    private static boolean isDeclared(String name, String wordBefore) {
        return !isType(name) || TYPES.contains(wordBefore);
    }

    /** Types have lower case letters after a capital; constants have none. */
    private static boolean isType(String name) {
        return Character.isUpperCase(name.charAt(0)) && !name.equals(name.toUpperCase(Locale.ROOT));
    }
}
