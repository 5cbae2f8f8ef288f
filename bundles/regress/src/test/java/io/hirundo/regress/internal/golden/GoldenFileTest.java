package io.hirundo.regress.internal.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.DataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GoldenFileTest {
    private static final String GOOD = """
      {"schemaVersion": VERSION, "machine": {"processor": "some"}, "versions": {"java": "25"}, "cases": [
        {"name": "one", "precision": "fp32", "settings": "00", "tokensPerStep": 64, "tokensPerSecond": 1.5, "seconds": 2.5,
         "peakBytes": [{"WEIGHTS": 5}],
         "steps": [{"step": 1, "loss": "NaN", "gradientNorm": 1.5, "learningRate": 0.1}],
         "fingerprints": [{"step": 1, "tensors": {"t": [4, 1.5, "AAAAAAAAAAA", 2.5, "AAAAAAAAAAA"]}}]}]}
      """;

    @TempDir
    private Path folder;

    private final JsonMapper mapper = new JsonMapper();

    private Golden read(JsonNode root) throws IOException {
        Path file = folder.resolve("golden.json");
        Files.write(file, mapper.writeValueAsBytes(root));
        return GoldenFile.read(file);
    }

    private JsonNode good() throws IOException {
        return mapper.readTree(GOOD.replace("VERSION", String.valueOf(GoldenFile.SCHEMA_VERSION)));
    }

    /** Each field in turn is null: rejected before anything trains, in one line that names a field. */
    @Test
    void rejectsNullInPlaceOfAnyValue() throws IOException {
        assertEquals(1, read(good()).cases().size());
        int count = places(good(), List.of()).size();
        assertTrue(count > 25, "places " + count);
        for (int i = 0; i < count; i++) {
            JsonNode root = good();
            List<Object> place = places(root, List.of()).get(i);
            replace(root, place);
            var failure = assertThrows(DataException.class, () -> read(root), place::toString);
            assertTrue(failure.getMessage().contains("null"), place + ": " + failure.getMessage());
            assertEquals(1, failure.getMessage().lines().count());
        }
    }

    private static List<List<Object>> places(JsonNode node, List<Object> here) {
        var places = new ArrayList<List<Object>>();
        node.properties().forEach(each -> add(places, each.getValue(), here, each.getKey()));
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            add(places, node.get(i), here, i);
        }
        return places;
    }

    private static void add(List<List<Object>> places, JsonNode value, List<Object> here, Object step) {
        var place = new ArrayList<>(here);
        place.add(step);
        places.add(place);
        places.addAll(places(value, place));
    }

    private static void replace(JsonNode root, List<Object> place) {
        JsonNode node = root;
        for (Object step : place.subList(0, place.size() - 1)) {
            node = step instanceof Integer index ? node.get(index) : node.get((String) step);
        }
        if (node instanceof ArrayNode list) {
            list.setNull((Integer) place.getLast());
        } else {
            ((ObjectNode) node).putNull((String) place.getLast());
        }
    }
}
