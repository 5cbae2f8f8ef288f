package io.hirundo.stores3.internal;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.stores3.internal.CopyIndex.CopiedFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run's copies in a bucket: {@code NAME.index}, and the files below {@code NAME.ID/}. */
final class S3Session implements StoreSession {
  private static final Logger LOG = LoggerFactory.getLogger(S3Session.class);
  private static final String INDEX = ".index";

  /** An index, or the folder of a copy's files; all else here is somebody else's. */
  private static final Pattern OURS = Pattern.compile(".+\\.([0-9a-f]{8}|index)");

  private final Bucket bucket;
  private final long partBytes;
  private final Parallel parallel;
  /** In front of every key, with a slash at its end. */
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
    copies.sort(Comparator.comparingLong(StoredCheckpoint::step).thenComparing(StoredCheckpoint::name).reversed());
    return List.copyOf(copies);
  }

  /** By name, those whose objects are as long as they say. */
  private Map<String, CopyIndex> indexes(Map<String, Long> objects) {
    var indexes = new HashMap<String, CopyIndex>();
    for (String key : objects.keySet()) {
      String name = key.substring(prefix.length());
      if (name.endsWith(INDEX) && name.indexOf('/') < 0) {
        name = name.substring(0, name.length() - INDEX.length());
        // What cannot be read is not damaged: it ends all of this.
        String text = bucket.text(key);
        try {
          CopyIndex index = CopyIndex.parse(text, key);
          requireLengths(name, index, objects);
          indexes.put(name, index);
        } catch (CheckpointException damage) {
          LOG.warn("a copy is not whole: {}", damage.getMessage());
        }
      }
    }
    return indexes;
  }

  private void requireLengths(String name, CopyIndex index, Map<String, Long> objects) {
    for (CopiedFile file : index.files()) {
      String key = key(name, index, file);
      if (objects.getOrDefault(key, -1L) != file.bytes()) {
        throw new CheckpointException(key + " is missing, or not of " + file.bytes() + " bytes");
      }
    }
  }

  @Override
  public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
    String name = checkpoint.path().getFileName().toString();
    CopyIndex index = LocalFiles.index(checkpoint, partBytes, parallel);
    var done = new AtomicLong();
    store(checkpoint.path(), name, index, bytes -> doneBytes.accept(done.addAndGet(bytes)));
    bucket.putText(prefix + name + INDEX, index.text());
    removeLeftovers();
  }

  private void store(Path folder, String name, CopyIndex index, LongConsumer done) {
    Map<String, Long> there = bucket.list(prefix + name + "." + index.id() + "/");
    var underWay = bucket.uploads(prefix + name + "." + index.id() + "/");
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

  /**
   * What has a name of ours and no index speaks of: attempts that were cut off, and the objects of copies that were replaced or deleted.
   * Where an index is damaged, nobody knows what it speaks of: all of its name stays.
   */
  private void removeLeftovers() {
    bucket.uploads(prefix).stream()
        .filter(upload -> isOurs(upload.key()))
        .forEach(upload -> bucket.abortUpload(upload.key(), upload.uploadId()));
    Map<String, Long> objects = bucket.list(prefix);
    var named = new HashSet<String>();
    indexes(objects)
        .forEach(
            (name, index) -> {
              named.add(prefix + name + INDEX);
              index.files().forEach(file -> named.add(key(name, index, file)));
            });
    List<String> damaged =
        objects.keySet().stream()
            .filter(key -> key.endsWith(INDEX) && isOurs(key) && !named.contains(key))
            .map(key -> key.substring(0, key.length() - INDEX.length() + 1))
            .toList();
    objects.keySet().stream()
        .filter(key -> !named.contains(key) && isOurs(key) && damaged.stream().noneMatch(key::startsWith))
        .forEach(bucket::delete);
  }

  /** Whether it can be of a copy of this run, and not of another whose prefix begins as ours. */
  private boolean isOurs(String key) {
    String name = key.substring(prefix.length());
    int folder = name.indexOf('/');
    return OURS.matcher(folder < 0 ? name : name.substring(0, folder)).matches();
  }

  @Override
  public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
    CopyIndex index = index(copy.name());
    // Of an empty file nothing else would be asked.
    requireLengths(copy.name(), index, bucket.list(prefix + copy.name() + "." + index.id() + "/"));
    var done = new AtomicLong();
    LocalFiles.fetch(
        bucket, index, file -> key(copy.name(), index, file), into, parallel, bytes -> doneBytes.accept(done.addAndGet(bytes)));
  }

  @Override
  public void delete(StoredCheckpoint copy) {
    CopyIndex index = index(copy.name());
    bucket.delete(prefix + copy.name() + INDEX);
    index.files().forEach(file -> bucket.delete(key(copy.name(), index, file)));
  }

  private CopyIndex index(String name) {
    String key = prefix + name + INDEX;
    return CopyIndex.parse(bucket.text(key), key);
  }

  private String key(String name, CopyIndex index, CopiedFile file) {
    return prefix + name + "." + index.id() + "/" + file.name();
  }

  @Override
  public void close() {
    bucket.close();
  }
}
