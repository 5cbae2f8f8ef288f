package io.hirundo.dataloader.internal.text;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.data.TextDocument;
import io.hirundo.dataloader.internal.decoding.NotTextException;
import io.hirundo.dataloader.internal.stop.Stop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The documents of a source, one after the other, as planned. */
final class SourceCursor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SourceCursor.class);

    private final SourceFiles files;
    private final ReadingPlan plan;
    private final Settings settings;
    private final Iterator<TextUnit> units;

    /** What is not text, and why, by origin. */
    private final Map<String, String> skipped = new HashMap<>();

    private TextUnit unit;
    private DocumentCursor cursor;
    private long documentsOfUnit;
    private long documents;
    private long bytes;
    private boolean ended;

    /** Characters. */
    private long replaced;

    /**
     * How to read.
     *
     * @param maximumBytes to stop at
     * @param format of documents
     * @param stop ends the reading
     */
    record Settings(long maximumBytes, DocumentFormat format, Stop stop) {}

    SourceCursor(SourceFiles files, ReadingPlan plan, Settings settings) {
        this.files = files;
        this.plan = plan;
        this.settings = settings;
        units = plan.units().iterator();
    }

    /** The next document; null at the end. */
    TextDocument next() {
        while (!ended) {
            settings.stop().check(files.source());
            DocumentCursor.Found found = nextOfUnit();
            if (found == null) {
                ended = !nextUnit();
            } else if (plan.takes(unit, documentsOfUnit++)) {
                if (documents > 0 && bytes + found.bytes() > settings.maximumBytes()) {
                    ended = true;
                    break;
                }
                documents++;
                bytes += found.bytes();
                return found.document();
            }
        }
        if (documents == 0) {
            throw nothing();
        }
        return null;
    }

    private DocumentCursor.Found nextOfUnit() {
        if (cursor == null) {
            return null;
        }
        try {
            return cursor.next();
        } catch (IOException e) {
            fail(e);
            return null;
        }
    }

    /** Opens the next unit; false after the last. */
    private boolean nextUnit() {
        closeUnit();
        while (units.hasNext()) {
            unit = units.next();
            if (!skipped.containsKey(unit.origin())) {
                documentsOfUnit = 0;
                try {
                    cursor = DocumentCursor.open(unit, settings.format());
                    return true;
                } catch (IOException e) {
                    fail(e);
                }
            }
        }
        return false;
    }

    /** What is no text is left out where there may be more; anything else ends the reading. */
    private void fail(IOException e) {
        closeUnit();
        if (!(e instanceof NotTextException)) {
            throw new DataException(
                    "cannot read " + unit.origin() + ": " + Reason.of(e) + "; copy or make it again", e);
        }
        if (isAlone()) {
            throw new DataException(
                    unit.origin() + " " + Reason.of(e) + "; give text in UTF-8, JSON lines, a zip or a folder", e);
        }
        skipped.put(unit.origin(), Reason.of(e));
    }

    /** Whether the source is one file, and no archive. */
    private boolean isAlone() {
        return !files.isFolder() && unit.origin().equals(files.source().toString());
    }

    private DataException nothing() {
        String what = skipped.isEmpty()
                ? " holds no text: it is empty"
                : " holds no text: all of its " + skipped.size() + " files are binary or not UTF-8";
        // Told with this.
        skipped.clear();
        return new DataException(files.source() + what + "; give text in UTF-8, JSON lines, a zip or a folder");
    }

    private void closeUnit() {
        if (cursor != null) {
            replaced += cursor.replaced();
            try {
                cursor.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                cursor = null;
            }
        }
    }

    @Override
    public void close() {
        ended = true;
        closeUnit();
        if (replaced > 0) {
            LOG.warn(
                    "{}: {} lone surrogates (such as \\ud800) in JSON strings are no text, and became U+FFFD",
                    files.source(),
                    replaced);
        }
        if (!skipped.isEmpty()) {
            var first = skipped.entrySet().iterator().next();
            LOG.warn(
                    "{}: {} files are not text and were left out: {} {}{}",
                    files.source(),
                    skipped.size(),
                    first.getKey(),
                    first.getValue(),
                    skipped.size() > 1 ? ", ..." : "");
        }
    }
}
