package __package__;

import io.hirundo.strategy.Setting;

/**
 * What a configuration may say below {@code data.source.options}. Each component is documented and bounded by its annotation;
 * checks, help and the JSON schema come from there.
 *
 * @param file whose bytes are the tokens
 * @param validation share of the file, at its end, that is not trained on
 */
public record __Name__Options(
    @Setting(value = "File whose bytes are the tokens, 0 to 255", required = true) String file,
    @Setting(value = "Share of the file, at its end, that is kept for validation", min = 0, max = 0.9) double validation) {
  /** The defaults. */
  public __Name__Options() {
    this("", 0.05);
  }
}
