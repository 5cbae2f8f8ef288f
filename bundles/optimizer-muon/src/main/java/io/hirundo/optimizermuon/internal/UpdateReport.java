package io.hirundo.optimizermuon.internal;

import io.hirundo.lib.optimizer.ReportedOnce;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs which matrices Muon updates: a pattern that misses an embedding or an output head would otherwise show only in the loss. */
final class UpdateReport {
    private static final Logger LOG = LoggerFactory.getLogger(UpdateReport.class);

    /** The number of a layer in a published name. Embeddings and heads are in no layer. */
    private static final Pattern LAYER = Pattern.compile("(.*\\.)?\\d+(\\..*)?");

    private final ReportedOnce reported = new ReportedOnce();

    /** For what one rank owns. */
    void log(MuonOptions options, List<Parameter> matrices, List<Parameter> others) {
        if (reported.isFirst("updates") && !(matrices.isEmpty() && others.isEmpty())) {
            List<String> unmatched = options.adamW().stream()
                    .filter(name -> others.stream().noneMatch(each -> Muon.matches(Muon.pattern(name), each.spec())))
                    .toList();
            LOG.info(
                    "of the first rank's parameters, Muon updates {} and AdamW {}{}",
                    matrices.size(),
                    others.size(),
                    unmatched.isEmpty() ? "" : "; none of them matches " + unmatched + " of optimizer.options.adamW");
        }
        matrices.stream()
                .map(Parameter::spec)
                .filter(UpdateReport::isOutsideLayers)
                .filter(spec -> reported.isFirst(spec.name()))
                .forEach(spec -> LOG.warn(
                        "optimizer.options.adamW: {} matches no part of {} {}, so Muon updates it; if it is an embedding or an output head, add it to"
                                + " optimizer.options.adamW",
                        options.adamW(),
                        spec.name(),
                        spec.shape()));
    }

    static boolean isOutsideLayers(ParameterSpec spec) {
        return spec.parts().stream()
                .map(ParameterPart::path)
                .noneMatch(path -> LAYER.matcher(path).matches());
    }
}
