package io.hirundo.lib.input;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonComplaintTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "Unexpected end-of-input: expected close marker for Object (start marker at [Source: REDACTED])|it ends too early",
                "Unexpected character ('<' (code 60)): expected a valid value (JSON String, Number, Array)|unexpected character '<'",
                "Trailing token (of type START_OBJECT) found after value (bound as `a.b.JsonNode`)|more text follows the value",
                "Unrecognized token 'version': was expecting (JSON String, Number)|'version' is not a JSON value",
                "Document nesting depth (1001) exceeds the maximum allowed (1000)|it is nested too deeply",
                "Number value length (5000) exceeds the maximum allowed|a number has too many digits or is malformed",
                "Cannot deserialize value of type `a.B` from Array value (token `JsonToken.START_ARRAY`)|a value has another type than expected",
                "Current token (VALUE_NULL) not numeric, can not use numeric value accessors|a value has another type than expected",
                "Missing required creator property 'documents' (index 1)|the key 'documents' is missing",
                "something new|it is not valid JSON"
            })
    void translatesParserMessages(String message, String plain) {
        assertEquals(plain, JsonComplaint.of(message));
    }

    @ParameterizedTest
    @CsvSource(nullValues = "null", value = "null")
    void acceptsNullMessage(String message) {
        assertEquals("it is not valid JSON", JsonComplaint.of(message));
    }
}
