package io.hirundo.tokenizerhf.internal.files;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.OptionalInt;

/**
 * What the section {@code post_processor} puts around a text where special tokens are asked for.
 *
 * @param isThere whether there is such a section: without one, nothing is said
 * @param begin first id before the text
 * @param end last id after it
 */
record PostProcessing(boolean isThere, OptionalInt begin, OptionalInt end) {
    private static final PostProcessing NOTHING = new PostProcessing(true, OptionalInt.empty(), OptionalInt.empty());

    static PostProcessing of(JsonNode section) {
        if (!section.isObject()) {
            return new PostProcessing(false, OptionalInt.empty(), OptionalInt.empty());
        }
        return switch (section.path("type").asText()) {
            case "TemplateProcessing" -> ofTemplate(section);
            case "BertProcessing", "RobertaProcessing" ->
                new PostProcessing(
                        true,
                        id(section.path("cls").path(1)),
                        id(section.path("sep").path(1)));
            case "Sequence" -> ofSequence(section.path("processors"));
            default -> NOTHING;
        };
    }

    private static PostProcessing ofSequence(JsonNode processors) {
        for (JsonNode each : processors) {
            PostProcessing one = of(each);
            if (one.begin.isPresent() || one.end.isPresent()) {
                return one;
            }
        }
        return NOTHING;
    }

    private static PostProcessing ofTemplate(JsonNode section) {
        OptionalInt begin = OptionalInt.empty();
        OptionalInt end = OptionalInt.empty();
        boolean isBeforeText = true;
        for (JsonNode part : section.path("single")) {
            isBeforeText &= !part.has("Sequence");
            JsonNode ids = section.path("special_tokens")
                    .path(part.path("SpecialToken").path("id").asText())
                    .path("ids");
            if (isBeforeText && begin.isEmpty()) {
                begin = id(ids.path(0));
            } else if (!isBeforeText && part.has("SpecialToken")) {
                end = id(ids.path(ids.size() - 1));
            }
        }
        return new PostProcessing(true, begin, end);
    }

    private static OptionalInt id(JsonNode id) {
        return id.canConvertToInt() && id.isIntegralNumber() ? OptionalInt.of(id.intValue()) : OptionalInt.empty();
    }

    /** Both, as far as they are there. */
    List<Integer> ids() {
        return List.of(begin, end).stream()
                .filter(OptionalInt::isPresent)
                .map(OptionalInt::getAsInt)
                .toList();
    }
}
