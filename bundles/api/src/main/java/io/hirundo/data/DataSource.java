package io.hirundo.data;

import io.hirundo.ConfigurationException;
import java.util.Optional;
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

  /**
   * License of the data, for the card of a model that is trained on it; empty where it is not known. Does not open the data.
   *
   * @throws io.hirundo.DataException if what records it is damaged
   */
  default Optional<String> license() {
    return Optional.empty();
  }

  /**
   * As {@link #open(SampleRequest)}, going on where another source was left: the sample of index {@code from.sample()} and
   * those after it are the next unread ones of each part, in the proportions of this source. Earlier ones are not asked for.
   *
   * @throws io.hirundo.ConfigurationException when this source cannot go on from there; it cannot unless it says so
   */
  default SampleSet open(SampleRequest request, DataCursor from) {
    if (from.isBeginning()) {
      return open(request);
    }
    throw new ConfigurationException(
        "data.source: this source cannot take over in the middle of a run; begin a new run with it");
  }
}
