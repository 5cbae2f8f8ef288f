package io.hirundo.dataloader.internal.clean;

import java.util.List;
import java.util.regex.Pattern;

/** The sentences in the documentation of a Java source: code, tables and what is cut off stay out. */
final class JavaProse {
    private static final int LEAST_WORDS = 6;

    /** Of letters and spaces among all characters: lists of constants and formulas have fewer. */
    private static final double LEAST_LETTERS = 0.85;

    private static final Pattern SENTENCE = Pattern.compile("(?s)\\p{Lu}.*[.!?:](?:[)\"'])?");

    private JavaProse() {}

    static List<String> paragraphs(String source) {
        return DocComments.of(source).stream()
                .flatMap(comment -> JavadocText.paragraphs(comment).stream())
                .filter(JavaProse::isProse)
                .toList();
    }

    private static boolean isProse(String paragraph) {
        long letters = paragraph
                .codePoints()
                .filter(point -> Character.isLetter(point) || point == ' ')
                .count();
        return SENTENCE.matcher(paragraph).matches()
                && paragraph.split(" ").length >= LEAST_WORDS
                && letters >= LEAST_LETTERS * paragraph.length()
                // What a tag left behind that is not understood, and markup that was cut.
                && !paragraph.contains("{@")
                && !paragraph.contains("</")
                && !paragraph.contains("http");
    }
}
