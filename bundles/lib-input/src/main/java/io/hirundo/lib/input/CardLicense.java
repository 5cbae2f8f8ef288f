package io.hirundo.lib.input;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the license from the card ({@code README.md}) of a model or dataset, as the Hugging Face Hub does. */
public final class CardLicense {
    private static final String CARD = "README.md";
    private static final int MOST_BYTES = 16 << 20;

    /** YAML between two lines of dashes; only plain or quoted top-level scalars are read. */
    private static final Pattern FRONT_MATTER =
            Pattern.compile("\\A\\uFEFF?---[ \\t]*\\R(.*?)\\R---[ \\t]*(?:\\R|\\z)", Pattern.DOTALL);

    private static final Pattern LICENSE =
            Pattern.compile("(?m)^license:[ \\t]*([\"']?)([A-Za-z0-9][\\w.+-]{0,99})\\1[ \\t]*(?:#.*)?$");

    private CardLicense() {}

    /**
     * Reads the license from a folder's card.
     *
     * @return empty if there is no card, or no license in its front matter
     * @throws IOException if the card cannot be read; {@link #card} is the file
     */
    public static Optional<String> read(Path folder) throws IOException {
        Path card = card(folder);
        if (!Files.exists(card)) {
            return Optional.empty();
        }
        Matcher matter = FRONT_MATTER.matcher(InputFiles.readString(card, MOST_BYTES));
        if (!matter.find()) {
            return Optional.empty();
        }
        Matcher license = LICENSE.matcher(matter.group(1));
        return license.find() ? Optional.of(license.group(2)) : Optional.empty();
    }

    /** Path of a folder's card. */
    public static Path card(Path folder) {
        return folder.resolve(CARD);
    }
}
