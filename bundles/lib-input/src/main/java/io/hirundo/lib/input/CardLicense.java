package io.hirundo.lib.input;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The license in the card ({@code README.md}) of a model or a dataset, as the Hugging Face Hub reads it. */
public final class CardLicense {
  private static final String CARD = "README.md";
  private static final int MOST_BYTES = 16 << 20;

  /** YAML between two lines of dashes. Of it only plain or quoted scalars of the first level are read. */
  private static final Pattern FRONT_MATTER = Pattern.compile("\\A\\uFEFF?---[ \\t]*\\R(.*?)\\R---[ \\t]*(?:\\R|\\z)", Pattern.DOTALL);

  private static final Pattern LICENSE = Pattern.compile("(?m)^license:[ \\t]*([\"']?)([A-Za-z0-9][\\w.+-]{0,99})\\1[ \\t]*(?:#.*)?$");

  private CardLicense() {}

  /**
   * Reads it from the card of a folder.
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

  /** The card of a folder. */
  public static Path card(Path folder) {
    return folder.resolve(CARD);
  }
}
