package io.hirundo.dataloader.internal.clean;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns a documentation comment's main description into paragraphs of plain text: tags, HTML and entities become what a reader sees. */
final class JavadocText {
    /** Where the block tags begin ({@code @param} and so on), whose descriptions are no sentences. Notes are prose, and stay. */
    private static final Pattern BLOCK_TAGS = Pattern.compile("(?m)^\\s*@(?!apiNote|implNote|implSpec)\\w");

    private static final Pattern NOTES = Pattern.compile("(?m)^\\s*@(?:apiNote|implNote|implSpec)\\b");

    /** Without other tags in it: the innermost go first. Braces of code may be in it, once deep. */
    private static final Pattern INLINE_TAG =
            Pattern.compile("\\{@(\\w+)\\s*+([^{}]*+(?:\\{(?!@)[^{}]*+\\}[^{}]*+)*+)\\}");

    private static final Pattern REFERENCE = Pattern.compile("(\\S+?(?:\\([^)]*\\))?)(?:\\s+(.+))?", Pattern.DOTALL);
    private static final Pattern NOT_PROSE = Pattern.compile(
            "(?is)<(pre|table|script|style|h[1-6]|caption)\\b.*?</\\1>|\\{@snippet\\b.*?\\n\\s*\\}|<!--.*?-->");
    private static final Pattern BREAK = Pattern.compile(
            "(?i)</?(?:p|li|ul|ol|dl|dt|dd|div|blockquote|br|hr|tr|td|th|center|section)\\b[^>]*>|\\n\\s*\\n");
    private static final Pattern TAG = Pattern.compile("</?[A-Za-z][^<>]*>");
    private static final Pattern ENTITY = Pattern.compile("&(#\\d{1,6}|#[xX][0-9a-fA-F]{1,5}|\\w{2,8});");
    private static final Map<String, String> ENTITIES = Map.ofEntries(
            Map.entry("lt", "<"),
            Map.entry("gt", ">"),
            Map.entry("amp", "&"),
            Map.entry("quot", "\""),
            Map.entry("nbsp", " "),
            Map.entry("apos", "'"),
            Map.entry("le", "<="),
            Map.entry("ge", ">="),
            Map.entry("ne", "!="),
            Map.entry("ndash", "-"),
            Map.entry("mdash", " - "),
            Map.entry("hellip", "..."),
            Map.entry("times", "x"),
            Map.entry("minus", "-"),
            Map.entry("rarr", "->"),
            Map.entry("ldquo", "\""),
            Map.entry("rdquo", "\""),
            Map.entry("lsquo", "'"),
            Map.entry("rsquo", "'"),
            Map.entry("sect", "section"));

    private JavadocText() {}

    /** Each on one line, in order. */
    static List<String> paragraphs(String comment) {
        String text = NOTES.matcher(comment).replaceAll("\n\n");
        Matcher blocks = BLOCK_TAGS.matcher(text);
        text = blocks.find() ? text.substring(0, blocks.start()) : text;
        text = NOT_PROSE.matcher(text).replaceAll("\n\n");
        // Angle brackets of code are none of HTML: they come back with the entities.
        text = withoutInlineTags(text);
        var paragraphs = new ArrayList<String>();
        for (String part : BREAK.split(text)) {
            String plain = withoutEntities(TAG.matcher(part).replaceAll(""))
                    .replaceAll("\\s+", " ")
                    .strip();
            if (!plain.isEmpty()) {
                paragraphs.add(plain);
            }
        }
        return paragraphs;
    }

    private static String withoutInlineTags(String text) {
        String rest = text;
        for (Matcher tag = INLINE_TAG.matcher(rest); tag.find(); tag = INLINE_TAG.matcher(rest)) {
            rest = tag.replaceAll(found -> Matcher.quoteReplacement(
                    shown(found.group(1), found.group(2).strip())));
        }
        return rest;
    }

    private static String shown(String tag, String content) {
        return switch (tag) {
            case "code", "literal", "systemProperty" ->
                content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
            case "link", "linkplain" -> linked(content);
            case "index" ->
                content.startsWith("\"")
                        ? content.substring(1, Math.max(1, content.indexOf('"', 1)))
                        : content.split("\\s", 2)[0];
            case "return" -> "Returns " + content + ".";
            default -> "";
        };
    }

    /** The label; without one the name as the documentation shows it: {@code Map.get(Object)} for {@code java.util.Map#get(Object)}. */
    private static String linked(String content) {
        Matcher reference = REFERENCE.matcher(content);
        if (!reference.matches()) {
            return content;
        }
        if (reference.group(2) != null) {
            return reference.group(2);
        }
        String name = reference
                .group(1)
                .replaceAll("^[\\w.]+/", "")
                .replaceAll("\\b(?:[a-z]\\w*\\.)+(?=[A-Z])", "")
                .replace('#', '.');
        return name.startsWith(".") ? name.substring(1) : name;
    }

    private static String withoutEntities(String text) {
        return ENTITY.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(entity(found.group(1), found.group())));
    }

    private static String entity(String name, String whole) {
        if (name.startsWith("#")) {
            boolean hex = name.startsWith("#x") || name.startsWith("#X");
            int point = hex ? Integer.parseInt(name.substring(2), 16) : Integer.parseInt(name.substring(1));
            return Character.isValidCodePoint(point) && !Character.isISOControl(point) ? Character.toString(point) : "";
        }
        return ENTITIES.getOrDefault(name, whole);
    }
}
