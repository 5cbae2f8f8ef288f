package io.hirundo.stores3.internal;

import io.hirundo.CheckpointException;
import io.hirundo.HirundoException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.lib.store.CopyIndex;
import io.hirundo.lib.store.CopyIndex.CopiedFile;
import io.hirundo.lib.store.CopyNames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run's remote copies in a bucket: {@code NAME.index}, and the files below {@code NAME.ID/}. */
final class S3Session implements StoreSession {
    private static final Logger LOG = LoggerFactory.getLogger(S3Session.class);

    private final Bucket bucket;
    private final long partBytes;
    private final Parallel parallel;
    /** Prefix of every key, with a trailing slash. */
    private final String prefix;

    private final String place;

    /** Owns the bucket. */
    S3Session(Bucket bucket, S3Options options, String run) {
        this.bucket = bucket;
        this.partBytes = options.transfer().partBytes();
        this.parallel = new Parallel(options.transfer().parallel());
        this.prefix = (options.prefix().isEmpty() ? "" : options.prefix() + "/") + run + "/";
        this.place = "s3://" + options.bucket() + "/" + prefix.substring(0, prefix.length() - 1);
    }

    @Override
    public String place() {
        return place;
    }

    @Override
    public List<StoredCheckpoint> list() {
        var copies = new ArrayList<StoredCheckpoint>();
        indexes(bucket.list(prefix))
                .forEach((name, index) -> copies.add(new StoredCheckpoint(name, index.step(), index.bytes())));
        copies.sort(Comparator.comparingLong(StoredCheckpoint::step)
                .thenComparing(StoredCheckpoint::name)
                .reversed());
        return List.copyOf(copies);
    }

    /** By name, those whose objects have the recorded lengths. */
    private Map<String, CopyIndex> indexes(Map<String, Long> objects) {
        var indexes = new HashMap<String, CopyIndex>();
        for (String key : objects.keySet()) {
            Optional<String> name =
                    CopyNames.ofIndex(key.substring(prefix.length())).filter(each -> each.indexOf('/') < 0);
            if (name.isPresent() && objects.get(key) > CopyIndex.MAX_TEXT_BYTES) {
                LOG.warn(
                        "a remote copy is incomplete: {} is larger than {} bytes, the limit for an index",
                        key,
                        CopyIndex.MAX_TEXT_BYTES);
            } else if (name.isPresent()) {
                // An unreadable index is not a damaged copy: fail.
                String text = bucket.text(key);
                try {
                    CopyIndex index = CopyIndex.parse(text, key);
                    requireLengths(name.get(), index, objects);
                    indexes.put(name.get(), index);
                } catch (CheckpointException damage) {
                    LOG.warn("a remote copy is incomplete: {}", damage.getMessage());
                }
            }
        }
        return indexes;
    }

    private void requireLengths(String name, CopyIndex index, Map<String, Long> objects) {
        for (CopiedFile file : index.files()) {
            String key = key(name, index, file);
            if (objects.getOrDefault(key, -1L) != file.bytes()) {
                throw new CheckpointException(key + " is missing, or does not have " + file.bytes() + " bytes");
            }
        }
    }

    @Override
    public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
        String name = checkpoint.path().getFileName().toString();
        CopyIndex index = LocalFiles.index(checkpoint, partBytes, parallel);
        var done = new AtomicLong();
        store(checkpoint.path(), name, index, bytes -> doneBytes.accept(done.addAndGet(bytes)));
        bucket.putText(prefix + CopyNames.index(name), index.text());
        removeLeftovers();
    }

    private void store(Path folder, String name, CopyIndex index, LongConsumer done) {
        Map<String, Long> there = bucket.list(prefix + CopyNames.files(name, index) + "/");
        var underWay = bucket.uploads(prefix + CopyNames.files(name, index) + "/");
        var uploads = new ArrayList<ObjectUpload>();
        var work = new ArrayList<Callable<Void>>();
        for (CopiedFile file : index.files()) {
            String key = key(name, index, file);
            var upload = new ObjectUpload(bucket, key, folder.resolve(file.name()), index, file);
            if (there.getOrDefault(key, -1L) == file.bytes() && upload.isStored()) {
                done.accept(file.bytes());
            } else {
                work.addAll(upload.begin(underWay, done));
                uploads.add(upload);
            }
        }
        parallel.all(work);
        uploads.forEach(ObjectUpload::end);
    }

    /** The copy is complete already: a failure here only logs a warning. */
    private void removeLeftovers() {
        try {
            bucket.uploads(prefix).stream()
                    .filter(upload -> CopyNames.isOurs(entry(upload.key())))
                    .forEach(upload -> bucket.abortUpload(upload.key(), upload.uploadId()));
            Map<String, Long> objects = bucket.list(prefix);
            Set<String> entries = objects.keySet().stream().map(this::entry).collect(Collectors.toSet());
            Set<String> leftovers = CopyNames.leftovers(entries, indexes(objects));
            objects.keySet().stream()
                    .filter(key -> leftovers.contains(entry(key)))
                    .forEach(bucket::delete);
        } catch (HirundoException e) {
            LOG.warn("leftovers in {} could not be removed: {}", place, e.getMessage());
        }
    }

    /** The first name of a key below the run's prefix. */
    private String entry(String key) {
        String name = key.substring(prefix.length());
        int folder = name.indexOf('/');
        return folder < 0 ? name : name.substring(0, folder);
    }

    @Override
    public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
        CopyIndex index = index(copy.name());
        // An empty file needs this request: no other would be sent.
        requireLengths(copy.name(), index, bucket.list(prefix + CopyNames.files(copy.name(), index) + "/"));
        var done = new AtomicLong();
        LocalFiles.fetch(
                bucket,
                index,
                file -> key(copy.name(), index, file),
                into,
                parallel,
                bytes -> doneBytes.accept(done.addAndGet(bytes)));
    }

    @Override
    public void delete(StoredCheckpoint copy) {
        CopyIndex index = index(copy.name());
        bucket.delete(prefix + CopyNames.index(copy.name()));
        index.files().forEach(file -> bucket.delete(key(copy.name(), index, file)));
    }

    private CopyIndex index(String name) {
        String key = prefix + CopyNames.index(name);
        return CopyIndex.parse(bucket.text(key), key);
    }

    private String key(String name, CopyIndex index, CopiedFile file) {
        return prefix + CopyNames.files(name, index) + "/" + file.name();
    }

    @Override
    public void close() {
        bucket.close();
    }
}
