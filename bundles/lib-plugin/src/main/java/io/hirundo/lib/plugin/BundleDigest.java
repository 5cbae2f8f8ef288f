package io.hirundo.lib.plugin;

import io.hirundo.Reason;
import io.hirundo.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import org.osgi.framework.Bundle;

/** SHA-256 of a bundle's entries, independent of dates and order in its jar. */
public final class BundleDigest {
    private BundleDigest() {}

    /**
     * Symbolic name and the first 8 bytes of the digest: {@code io.hirundo.trainer 0123456789abcdef}.
     *
     * @throws StorageException if the bundle cannot be read
     */
    public static String of(Bundle bundle) {
        try {
            var sha256 = MessageDigest.getInstance("SHA-256");
            var urls = bundle.findEntries("/", "*", true);
            var entries = urls == null ? Collections.<URL>emptyList() : Collections.list(urls);
            entries.sort(Comparator.comparing(URL::getPath));
            try (var out = new DigestOutputStream(OutputStream.nullOutputStream(), sha256)) {
                for (URL entry : entries) {
                    out.write(entry.getPath().getBytes(StandardCharsets.UTF_8));
                    if (!entry.getPath().endsWith("/")) {
                        try (InputStream in = entry.openStream()) {
                            in.transferTo(out);
                        }
                    }
                }
            }
            return bundle.getSymbolicName() + " " + HexFormat.of().formatHex(sha256.digest(), 0, 8);
        } catch (IOException failure) {
            throw new StorageException(
                    "cannot read bundle " + bundle.getLocation() + ": " + Reason.of(failure), failure);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
