package io.hirundo.data;

/**
 * A document.
 *
 * @param origin where it came from, for messages: {@code src.zip!java.base/java/lang/String.java} for instance
 * @param text its text
 */
public record TextDocument(String origin, String text) {}
