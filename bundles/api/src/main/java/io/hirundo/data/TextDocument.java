package io.hirundo.data;

/**
 * A text document.
 *
 * @param origin source for messages, for instance {@code src.zip!java.base/java/lang/String.java}
 * @param text its text
 */
public record TextDocument(String origin, String text) {}
