package io.hirundo.stores3.internal;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.Part;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Requests to one bucket; converts the SDK's failures to Hirundo's exceptions. Thread-safe. */
final class Bucket implements AutoCloseable {
    /** Status codes of failures that a retry cannot fix. */
    private static final Set<String> LASTING = Set.of(
            "NoSuchBucket",
            "AccessDenied",
            "InvalidAccessKeyId",
            "SignatureDoesNotMatch",
            "PermanentRedirect",
            "AuthorizationHeaderMalformed",
            "ExpiredToken",
            "InvalidBucketName");

    /** For an object that an index names: part of the copy is missing. */
    private static final String NO_SUCH_OBJECT = "NoSuchKey";

    private final S3Client client;
    private final SdkHttpClient http;
    private final String name;
    private final String words;

    /** {@code words}: the bucket and its server, for messages. Owns both clients. */
    Bucket(S3Client client, SdkHttpClient http, String name, String words) {
        this.client = client;
        this.http = http;
        this.name = name;
        this.words = words;
    }

    /** The server's description of a stored object or part: either field may be null. */
    record Stored(String crc32c, String tag) {}

    /** The keys with this prefix, and the bytes of each object. */
    Map<String, Long> list(String prefix) {
        return call(() -> {
            var sizes = new TreeMap<String, Long>();
            client.listObjectsV2Paginator(request -> request.bucket(name).prefix(prefix))
                    .contents()
                    .forEach(object -> sizes.put(object.key(), object.size()));
            return sizes;
        });
    }

    String text(String key) {
        return call(
                () -> client.getObjectAsBytes(request -> request.bucket(name).key(key))
                        .asString(StandardCharsets.UTF_8));
    }

    void putText(String key, String text) {
        call(() -> client.putObject(request -> request.bucket(name).key(key), RequestBody.fromString(text)));
    }

    Stored put(String key, RequestBody body, String crc32c) {
        return call(() -> {
            var response =
                    client.putObject(request -> request.bucket(name).key(key).checksumCRC32C(crc32c), body);
            return new Stored(response.checksumCRC32C(), response.eTag());
        });
    }

    /** Bytes of an object from an offset on; the caller closes the stream. */
    InputStream range(String key, long offset, long bytes) {
        return call(() -> client.getObject(
                request -> request.bucket(name).key(key).range("bytes=" + offset + "-" + (offset + bytes - 1))));
    }

    void delete(String key) {
        call(() -> client.deleteObject(request -> request.bucket(name).key(key)));
    }

    /** Unfinished multipart uploads of objects whose keys have this prefix. */
    List<MultipartUpload> uploads(String prefix) {
        return call(() ->
                client
                        .listMultipartUploadsPaginator(
                                request -> request.bucket(name).prefix(prefix))
                        .uploads()
                        .stream()
                        .toList());
    }

    String beginUpload(String key) {
        return call(() -> client.createMultipartUpload(
                        request -> request.bucket(name).key(key).checksumAlgorithm(ChecksumAlgorithm.CRC32_C))
                .uploadId());
    }

    List<Part> parts(String key, String upload) {
        return call(() ->
                client
                        .listPartsPaginator(
                                request -> request.bucket(name).key(key).uploadId(upload))
                        .parts()
                        .stream()
                        .toList());
    }

    /** {@code number}: part number, from 1. */
    Stored putPart(String key, String upload, int number, RequestBody body, String crc32c) {
        return call(() -> {
            var response = client.uploadPart(
                    request -> request.bucket(name)
                            .key(key)
                            .uploadId(upload)
                            .partNumber(number)
                            .checksumCRC32C(crc32c),
                    body);
            return new Stored(response.checksumCRC32C(), response.eTag());
        });
    }

    void completeUpload(String key, String upload, List<CompletedPart> parts) {
        call(() -> client.completeMultipartUpload(
                request -> request.bucket(name).key(key).uploadId(upload).multipartUpload(all -> all.parts(parts))));
    }

    void abortUpload(String key, String upload) {
        call(() -> client.abortMultipartUpload(
                request -> request.bucket(name).key(key).uploadId(upload)));
    }

    private <T> T call(Supplier<T> request) {
        try {
            return request.get();
        } catch (S3Exception rejection) {
            String code = rejection.awsErrorDetails() == null
                    ? null
                    : rejection.awsErrorDetails().errorCode();
            String said = words + ": " + Reason.of(rejection);
            if ((code != null && LASTING.contains(code)) || rejection.statusCode() == 403) {
                throw new ConfigurationException(
                        "checkpoint.store.options: " + said + "; check bucket, region, endpoint and keys", rejection);
            }
            if (NO_SUCH_OBJECT.equals(code)) {
                throw new CheckpointException(said, rejection);
            }
            throw new StoreException(said, rejection);
        } catch (SdkException failure) {
            throw new StoreException(words + ": " + Reason.of(failure), failure);
        }
    }

    /** Converts failures of a stream that {@link #range} returned. */
    StoreException brokenOff(String key, IOException failure) {
        return new StoreException(words + ": " + key + ": connection lost: " + Reason.of(failure), failure);
    }

    @Override
    public void close() {
        client.close();
        http.close();
    }
}
