package io.hirundo.stores3.internal;

import io.hirundo.stores3.internal.S3Options.KeyOptions;
import io.hirundo.stores3.internal.S3Options.TransferOptions;
import io.hirundo.testkit.checkpoint.StoredBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.gaul.s3proxy.BlobStores;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** A server that speaks S3, on loopback and in memory, with one bucket. */
final class Server implements AutoCloseable, StoredBytes {
    static final String BUCKET = "copies";
    private static final Map<String, String> KEYS = Map.of("TEST_ID", "somebody", "TEST_SECRET", "something secret");

    private final S3Proxy proxy;
    private final Bucket bucket;
    private final S3Client client;

    Server() {
        var store = BlobStores.create("transient", new Properties());
        var builder = S3Proxy.builder()
                .blobStore(store)
                .endpoint(URI.create("http://127.0.0.1:0"))
                .stopTimeout(0)
                .jettyMaxThreads(24);
        proxy = builder.awsAuthentication(AuthenticationType.AWS_V4, KEYS.get("TEST_ID"), KEYS.get("TEST_SECRET"))
                .build();
        try {
            proxy.start();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        SdkHttpClient http = Connection.httpClient(options());
        client = S3Client.builder()
                .httpClient(http)
                .region(Region.US_EAST_1)
                .endpointOverride(URI.create(endpoint()))
                .forcePathStyle(true)
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(KEYS.get("TEST_ID"), KEYS.get("TEST_SECRET"))))
                .build();
        client.createBucket(request -> request.bucket(BUCKET));
        bucket = new Bucket(client, http, BUCKET, "the test's own requests");
    }

    String endpoint() {
        return "http://127.0.0.1:" + proxy.getPort();
    }

    S3Options options() {
        return options(BUCKET);
    }

    S3Options options(String bucket) {
        return new S3Options(
                bucket,
                "some/prefix",
                "us-east-1",
                endpoint(),
                true,
                new KeyOptions("TEST_ID", "TEST_SECRET", "TEST_TOKEN", null, "default"),
                new TransferOptions(5 << 20, 4));
    }

    static Connection connection(S3Options options) {
        return new Connection(options, new HashMap<>(KEYS)::get);
    }

    /** A run's copies in the bucket, by way of a client that may be faulty. */
    S3Session session(SdkHttpClient http) {
        return new S3Session(connection(options()).open(http), options(), "run");
    }

    S3Session session() {
        return session(Connection.httpClient(options()));
    }

    /** The test's own requests. */
    Bucket bucket() {
        return bucket;
    }

    @Override
    public Map<String, byte[]> all() {
        var all = new TreeMap<String, byte[]>();
        bucket.list("").forEach((key, size) -> all.put(key, read(key, size)));
        return all;
    }

    private byte[] read(String key, long size) {
        if (size == 0) {
            return new byte[0];
        }
        var bytes = new ByteArrayOutputStream();
        try (InputStream input = bucket.range(key, 0, size)) {
            input.transferTo(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @Override
    public void write(String name, byte[] bytes) {
        client.putObject(request -> request.bucket(BUCKET).key(name), RequestBody.fromBytes(bytes));
    }

    @Override
    public void delete(String name) {
        bucket.delete(name);
    }

    @Override
    public void close() {
        bucket.close();
        try {
            proxy.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
