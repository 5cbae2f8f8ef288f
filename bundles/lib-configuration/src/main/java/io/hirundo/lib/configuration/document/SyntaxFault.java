package io.hirundo.lib.configuration.document;

import com.fasterxml.jackson.core.JsonLocation;
import java.io.IOException;

/** A syntax error in a JSON or YAML document, or a YAML feature that Hirundo does not support, with its position. */
final class SyntaxFault extends IOException {
    private static final long serialVersionUID = 1L;

    private final String place;

    /** The error at a parser's position. */
    SyntaxFault(String message, JsonLocation location) {
        this(message, location.getLineNr(), location.getColumnNr());
    }

    /** {@code line}, {@code column}: 1-based, less than 1 if unknown. */
    SyntaxFault(String message, int line, int column) {
        super(message);
        this.place = line < 1 ? "" : column < 1 ? ", line " + line : ", line " + line + ", column " + column;
    }

    /** {@code , line 3, column 7}; empty if unknown. */
    String place() {
        return place;
    }
}
