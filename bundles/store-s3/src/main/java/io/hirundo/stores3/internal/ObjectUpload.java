package io.hirundo.stores3.internal;

import io.hirundo.CheckpointException;
import io.hirundo.StoreException;
import io.hirundo.lib.store.CopyIndex;
import io.hirundo.stores3.internal.Bucket.Stored;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.Part;

/**
 * Uploads a file to an object: in one request, or as a multipart upload if it is longer than a part. Reuses parts that an earlier attempt
 * has stored. Compares every part with the server's checksum.
 */
final class ObjectUpload {
    private static final String MD5 = "[0-9a-f]{32}";

    private final Bucket bucket;
    private final String key;
    private final List<FilePart> parts = new ArrayList<>();
    private final List<Integer> sums;
    /** Null for a file of one part. */
    private String upload;

    private final Map<Integer, CompletedPart> completed = new TreeMap<>();
    private boolean isToBeReadBack;

    ObjectUpload(Bucket bucket, String key, Path file, CopyIndex index, CopyIndex.CopiedFile described) {
        this.bucket = bucket;
        this.key = key;
        this.sums = described.crc32c();
        for (int part = 0; part < sums.size(); part++) {
            parts.add(new FilePart(file, part * index.partBytes(), index.bytesOf(described, part)));
        }
    }

    /** The remaining tasks, for any threads; {@code done} receives stored bytes, those of earlier attempts at once. */
    List<Callable<Void>> begin(List<MultipartUpload> underWay, LongConsumer done) {
        if (parts.size() > 1) {
            upload = underWay.stream()
                    .filter(other -> other.key().equals(key))
                    .map(MultipartUpload::uploadId)
                    .reduce((first, last) -> last)
                    .orElse(null);
            if (upload == null) {
                upload = bucket.beginUpload(key);
            } else {
                bucket.parts(key, upload).forEach(this::keepIfSound);
            }
        }
        var left = new ArrayList<Callable<Void>>();
        for (int part = 0; part < parts.size(); part++) {
            int number = part + 1;
            if (completed.containsKey(number)) {
                done.accept(parts.get(part).bytes());
            } else {
                left.add(() -> {
                    store(number);
                    done.accept(parts.get(number - 1).bytes());
                    return null;
                });
            }
        }
        return left;
    }

    private void keepIfSound(Part stored) {
        int number = stored.partNumber();
        boolean isOurs =
                number <= parts.size() && stored.size() == parts.get(number - 1).bytes();
        if (isOurs && isSound(number, new Stored(stored.checksumCRC32C(), stored.eTag())) == Answer.YES) {
            complete(number, stored.eTag());
        }
    }

    private void store(int number) {
        FilePart part = parts.get(number - 1);
        Stored stored = upload == null
                ? bucket.put(key, part.body(), sum(number))
                : bucket.putPart(key, upload, number, part.body(), sum(number));
        switch (isSound(number, stored)) {
            case YES -> {}
            case NO -> {
                if (upload == null) {
                    bucket.delete(key);
                }
                throw new StoreException(key + ": part " + number + " was stored with a different checksum");
            }
            case UNKNOWN -> readBackLater();
        }
        complete(number, stored.tag());
    }

    private enum Answer {
        YES,
        NO,
        UNKNOWN
    }

    /** By the checksum; without one, by the tag, which is the MD5 of an unencrypted object. */
    private Answer isSound(int number, Stored stored) {
        if (stored.crc32c() != null) {
            return stored.crc32c().equals(sum(number)) ? Answer.YES : Answer.NO;
        }
        String tag = stored.tag() == null ? "" : stored.tag().replace("\"", "").toLowerCase(Locale.ROOT);
        if (!tag.matches(MD5)) {
            return Answer.UNKNOWN;
        }
        return tag.equals(parts.get(number - 1).md5()) ? Answer.YES : Answer.NO;
    }

    private String sum(int number) {
        return Base64.getEncoder()
                .encodeToString(ByteBuffer.allocate(Integer.BYTES)
                        .putInt(sums.get(number - 1))
                        .array());
    }

    /** Sends Hirundo's own checksum: servers require it, and not all of them list it. */
    private synchronized void complete(int number, String tag) {
        completed.put(
                number,
                CompletedPart.builder()
                        .partNumber(number)
                        .eTag(tag)
                        .checksumCRC32C(sum(number))
                        .build());
    }

    private synchronized void readBackLater() {
        isToBeReadBack = true;
    }

    /** Call after all tasks of {@link #begin} are done. */
    synchronized void end() {
        if (upload != null) {
            bucket.completeUpload(key, upload, List.copyOf(completed.values()));
        }
        if (isToBeReadBack) {
            try {
                readBack();
            } catch (CheckpointException damage) {
                bucket.delete(key);
                throw damage;
            }
        }
    }

    private void readBack() {
        for (int part = 0; part < parts.size(); part++) {
            FilePart sent = parts.get(part);
            RangeFetch.require(bucket, key, sent.offset(), sent.bytes(), sums.get(part), (buffer, length, at) -> {});
        }
    }

    /** Whether an earlier attempt stored the right object. Reads it back, because that attempt may not have verified it. */
    boolean isStored() {
        try {
            readBack();
            return true;
        } catch (CheckpointException damage) {
            return false;
        }
    }
}
