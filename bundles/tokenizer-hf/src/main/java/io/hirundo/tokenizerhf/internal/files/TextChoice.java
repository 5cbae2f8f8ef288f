package io.hirundo.tokenizerhf.internal.files;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the user chose to begin and end a text: absent if nothing, an empty id for none.
 *
 * @param begin id
 * @param end id
 */
public record TextChoice(Optional<OptionalInt> begin, Optional<OptionalInt> end) {}
