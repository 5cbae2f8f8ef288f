package io.hirundo.checkpointdcp.internal.format;

import java.util.List;
import java.util.Map;

/** Rejects values that JSON does not preserve. */
public final class JsonValues {
    private JsonValues() {}

    /** {@code path}: where the value stands, for messages. */
    public static void check(Object value, String path) {
        switch (value) {
            case null -> {}
            case String _, Boolean _ -> {}
            case Double number when Double.isFinite(number) -> {}
            case Float number when Float.isFinite(number) -> {}
            case Integer _, Long _, Short _, Byte _, java.math.BigInteger _ -> {}
            case List<?> list -> {
                for (int i = 0; i < list.size(); i++) {
                    check(list.get(i), path + "[" + i + "]");
                }
            }
            case Map<?, ?> map ->
                map.forEach((key, entry) -> {
                    if (!(key instanceof String)) {
                        throw new IllegalArgumentException(
                                "the training state's " + path + " has the key " + key + ", not a text");
                    }
                    check(entry, path + "." + key);
                });
            default ->
                throw new IllegalArgumentException("the training state's " + path + " is " + value + " of "
                        + value.getClass().getName() + ", not a JSON value");
        }
    }
}
