package io.hirundo.data;

import io.hirundo.ConfigurationException;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/** A source of training samples. Strategy kind {@code data}. */
@ConsumerType
public interface DataSource {
    /**
     * Opens the data and plans the sample order. The caller closes the result.
     *
     * @throws io.hirundo.DataException if files are missing, damaged or too small
     */
    SampleSet open(SampleRequest request);

    /** How several documents in one sample are handled. May be called before {@link #open}. */
    default DocumentRules documents() {
        return DocumentRules.NONE;
    }

    /**
     * License of the data, for the model card of a model trained on it; empty if unknown. Does not open the data.
     *
     * @throws io.hirundo.DataException if the file that records the license is damaged
     */
    default Optional<String> license() {
        return Optional.empty();
    }

    /**
     * What surrounds the documents of the datasets, as far as that is recorded; several if the datasets differ. Does not open the data.
     *
     * @throws io.hirundo.DataException if the file that records it is damaged
     */
    default Set<DocumentFrame> frames() {
        return Set.of();
    }

    /**
     * Like {@link #open(SampleRequest)}, but continues where another source stopped. Samples from index {@code from.sample()} on
     * are the next unread samples of each dataset, blended with this source's weights. Earlier indices are never read.
     *
     * @throws io.hirundo.ConfigurationException if this source cannot continue from there; the default always throws
     */
    default SampleSet open(SampleRequest request, DataCursor from) {
        if (from.isBeginning()) {
            return open(request);
        }
        throw new ConfigurationException(
                "data.source: this source cannot continue from another source's data cursor; start a new run with it");
    }
}
