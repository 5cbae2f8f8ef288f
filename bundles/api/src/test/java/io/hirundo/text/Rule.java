package io.hirundo.text;

import java.util.regex.Pattern;

/** A phrase that texts must not use, and what to say instead. */
record Rule(String expression, String instead) {
    private static final String ARROW = " -> ";

    /** Reads {@code REGULAR EXPRESSION -> REPLACEMENT}; a blank of the expression matches white space and a comment's asterisks. */
    static Rule parse(String line) {
        int arrow = line.indexOf(ARROW);
        if (arrow < 0) {
            throw new IllegalArgumentException("not a rule: " + line);
        }
        return new Rule(
                "(?:" + line.substring(0, arrow).strip().replace(" ", "[\\s*>]+") + ")",
                line.substring(arrow + ARROW.length()).strip());
    }

    boolean matches(String phrase) {
        return Pattern.compile(expression, Pattern.CASE_INSENSITIVE)
                .matcher(phrase)
                .matches();
    }
}
