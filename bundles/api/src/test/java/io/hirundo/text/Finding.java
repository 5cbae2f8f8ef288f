package io.hirundo.text;

import java.nio.file.Path;

/**
 * A phrase in a file that the rules reject.
 *
 * @param file relative to the repository
 * @param line counted from 1
 * @param phrase as it stands in the file, with single blanks
 */
record Finding(Path file, int line, String phrase, String instead) {
    @Override
    public String toString() {
        return file + ":" + line + ": \"" + phrase + "\" (say: " + instead + ")";
    }
}
