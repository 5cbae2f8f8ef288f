package io.hirundo.data;

import org.osgi.annotation.versioning.ConsumerType;

/** Where training samples come from. Strategy kind {@code data}. */
@ConsumerType
public interface DataSource {
  /**
   * Opens the data and plans the order of its samples. The caller closes it.
   *
   * @throws io.hirundo.DataException when files are missing, damaged or too small
   */
  SampleSet open(SampleRequest request);

  /** What its samples say of their documents, known before they are opened. */
  default DocumentRules documents() {
    return DocumentRules.NONE;
  }
}
