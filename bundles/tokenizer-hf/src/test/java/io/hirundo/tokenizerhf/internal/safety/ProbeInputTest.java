package io.hirundo.tokenizerhf.internal.safety;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.tokenizerhf.internal.files.VocabularyScan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProbeInputTest {
    private static final String BEFORE = "{\"model\": {\"vocab\": {\"\u00e9\": 0}}, \"added_tokens\": ";
    private static final String AFTER = ", \"decoder\": null}";

    private static String tokens(int count, String prefix) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"id\": " + i + ", \"content\": \"" + prefix + i + "\"}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static ProbeInput input(String tokens) throws IOException {
        byte[] json = (BEFORE + tokens + AFTER).getBytes(StandardCharsets.UTF_8);
        int begin = BEFORE.getBytes(StandardCharsets.UTF_8).length;
        int end = begin + tokens.getBytes(StandardCharsets.UTF_8).length;
        JsonNode root = new ObjectMapper().readTree(json);
        return ProbeInput.of(json, new VocabularyScan.Sections(root, Map.of(), begin, end));
    }

    @Test
    void loadsTheFirstOfManyTokensAndEncodesTheOthers() throws IOException {
        ProbeInput input = input(tokens(ProbeInput.LOADED + 2, "\u00fc"));
        JsonNode tried = new ObjectMapper().readTree(input.json());
        assertEquals(ProbeInput.LOADED, tried.path("added_tokens").size());
        assertEquals("{\"\u00e9\":0}", tried.path("model").path("vocab").toString());
        assertEquals(true, tried.path("decoder").isNull());
        assertEquals("\u00fc2000\n\u00fc2001\n", new String(input.names(), StandardCharsets.UTF_8));
    }

    @Test
    void loadsAllOfFewTokens() throws IOException {
        String tokens = tokens(ProbeInput.LOADED, "t");
        ProbeInput input = input(tokens);
        assertEquals(BEFORE + tokens + AFTER, new String(input.json(), StandardCharsets.UTF_8));
        assertEquals(0, input.names().length);
    }

    @Test
    void loadsAllIfLongNamesMayTakeMuchMemory() throws IOException {
        String tokens = tokens(ProbeInput.LOADED + 2, "t".repeat(200));
        assertEquals(BEFORE + tokens + AFTER, new String(input(tokens).json(), StandardCharsets.UTF_8));
    }
}
