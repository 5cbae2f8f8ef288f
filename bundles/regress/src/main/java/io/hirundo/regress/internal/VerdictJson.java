package io.hirundo.regress.internal;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.regress.internal.compare.ResultComparison;
import io.hirundo.regress.internal.compare.Verdict;
import io.hirundo.regress.internal.golden.Environment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Writes verdicts with all differences as JSON. */
final class VerdictJson {
    private static final JsonMapper JSON = new JsonMapper();

    private VerdictJson() {}

    static byte[] of(Path set, Environment recorded, Environment now, List<Verdict> verdicts) throws IOException {
        ObjectNode root = JSON.createObjectNode();
        root.put("set", set.toString());
        root.put("passes", verdicts.stream().allMatch(Verdict::passes));
        root.set("recorded", JSON.valueToTree(recorded));
        root.set("now", JSON.valueToTree(now));
        ArrayNode cases = root.putArray("cases");
        for (Verdict verdict : verdicts) {
            ObjectNode each = cases.addObject();
            each.put("name", verdict.name());
            each.put("passes", verdict.passes());
            verdict.failures().forEach(each.putArray("failures")::add);
            verdict.notes().forEach(each.putArray("notes")::add);
            if (Double.isFinite(verdict.throughput())) {
                each.put("throughput", verdict.throughput());
            }
            put(each, "golden", verdict.golden());
            put(each, "peer", verdict.peer());
        }
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(root);
    }

    private static void put(ObjectNode into, String name, Optional<ResultComparison> comparison) {
        if (comparison.isEmpty()) {
            return;
        }
        ObjectNode node = into.putObject(name);
        node.put("bitwise", comparison.get().isBitwise());
        node.put("withinNoise", comparison.get().isWithinNoise());
        node.put("timesNoise", comparison.get().timesNoise());
        ArrayNode differences = node.putArray("differences");
        comparison
                .get()
                .differences()
                .forEach(each -> differences
                        .addObject()
                        .put("step", each.step())
                        .put("kind", each.kind().words())
                        .put("tensor", each.tensor())
                        .put("relative", each.relative())
                        .put("scale", each.scale())
                        .put("timesNoise", each.timesNoise()));
    }
}
