package io.hirundo.stores3.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.input.Excerpt;
import java.net.URI;

/**
 * The address of a server. It stands in the run's {@code config.json} and in messages, so it must hold no secret: a user and password
 * before the host, or the signature of a presigned address after it.
 */
final class Endpoint {
    private static final String ALLOWED = "(allowed: https://HOST or https://HOST:PORT)";

    private Endpoint() {}

    /**
     * Reads an address.
     *
     * @throws ConfigurationException if it is none, or may hold a secret, which the message does not repeat
     */
    static URI of(String text) {
        // Also where it is no address: a slip must not print what follows.
        if (text.matches("(?s).*[@?#].*")) {
            throw new ConfigurationException("endpoint: it holds more than a host, perhaps a secret, and is not shown "
                    + ALLOWED + "; give access keys by environment variables or by keys.file");
        }
        try {
            var given = URI.create(text);
            if (given.getHost() != null
                    && given.getScheme() != null
                    && given.getScheme().matches("https?")) {
                return given;
            }
        } catch (IllegalArgumentException _) {
            // As an address without a host.
        }
        throw new ConfigurationException(
                "endpoint: " + Excerpt.of(text) + " is not an address " + ALLOWED + "; correct it");
    }
}
