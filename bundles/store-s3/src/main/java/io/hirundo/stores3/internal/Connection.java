package io.hirundo.stores3.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.stores3.internal.S3Options.KeyOptions;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.defaultsmode.DefaultsMode;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.apache5.ProxyConfiguration;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.profiles.ProfileFileSupplier;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.RegionMetadata;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Connects to the server. Sets everything that the SDK would otherwise look up: it reads no profile of the user and contacts no other
 * host, in particular no instance metadata service.
 */
final class Connection {
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private final S3Options options;
    private final UnaryOperator<String> environment;

    /** {@code environment}: values of environment variables, null if not set. */
    Connection(S3Options options, UnaryOperator<String> environment) {
        this.options = options;
        this.environment = environment;
    }

    static SdkHttpClient httpClient(S3Options options) {
        var direct = ProxyConfiguration.builder()
                .useSystemPropertyValues(false)
                .useEnvironmentVariableValues(false)
                .build();
        return Apache5HttpClient.builder()
                .maxConnections(options.transfer().parallel() + 2)
                .socketTimeout(SILENCE)
                .proxyConfiguration(direct)
                .build();
    }

    /** A bucket with a client that it owns. */
    Bucket open(SdkHttpClient http) {
        try {
            S3Client client = S3Client.builder()
                    .httpClient(http)
                    .region(Region.of(options.region()))
                    .endpointOverride(endpoint())
                    .forcePathStyle(options.pathStyle())
                    .credentialsProvider(keys())
                    .defaultsMode(DefaultsMode.STANDARD)
                    .dualstackEnabled(false)
                    .fipsEnabled(false)
                    // Hirundo computes the checksums before it sends a part, and sends them along.
                    .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                    .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                    .overrideConfiguration(override -> override.defaultProfileFile(
                                    ProfileFile.aggregator().build())
                            .retryStrategy(RetryMode.STANDARD))
                    .build();
            return new Bucket(client, http, options.bucket(), "s3://" + options.bucket() + " at " + endpoint());
        } catch (RuntimeException failure) {
            http.close();
            throw failure;
        }
    }

    private URI endpoint() {
        if (options.endpoint() != null) {
            return Endpoint.of(options.endpoint());
        }
        try {
            var metadata = RegionMetadata.of(Region.of(options.region()));
            String suffix =
                    metadata == null ? "amazonaws.com" : metadata.partition().dnsSuffix();
            return URI.create("https://s3." + options.region() + "." + suffix);
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException(
                    "checkpoint.store.options.region: " + Excerpt.of(options.region())
                            + " is no region (allowed: for example us-east-1); correct it",
                    e);
        }
    }

    private AwsCredentialsProvider keys() {
        KeyOptions keys = options.keys();
        if (keys.file() != null) {
            Path file = Path.of(keys.file());
            if (!Files.isReadable(file)) {
                throw new ConfigurationException(
                        "checkpoint.store.options.keys.file: " + file + " cannot be read; give a file with profiles");
            }
            return ProfileCredentialsProvider.builder()
                    .profileFile(ProfileFileSupplier.reloadWhenModified(file, ProfileFile.Type.CREDENTIALS))
                    .profileName(keys.profile())
                    .build();
        }
        return StaticCredentialsProvider.create(fromEnvironment(keys));
    }

    private AwsCredentials fromEnvironment(KeyOptions keys) {
        String id = required("idVariable", keys.idVariable());
        String secret = required("secretVariable", keys.secretVariable());
        String token = keys.tokenVariable() == null ? null : environment.apply(keys.tokenVariable());
        return token == null || token.isEmpty()
                ? AwsBasicCredentials.create(id, secret)
                : AwsSessionCredentials.create(id, secret, token);
    }

    private String required(String option, String variable) {
        String value = environment.apply(variable);
        if (value == null || value.isEmpty()) {
            throw new ConfigurationException("checkpoint.store.options.keys." + option + ": the environment variable "
                    + variable + " is not set; set it, name another, or give keys.file");
        }
        return value;
    }
}
