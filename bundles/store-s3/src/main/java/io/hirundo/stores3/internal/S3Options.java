package io.hirundo.stores3.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of the checkpoint store {@code s3}.
 *
 * @param bucket must exist
 * @param prefix of every key, without slashes around it; empty for none
 * @param endpoint of a server that speaks S3; null for Amazon's in the region
 */
public record S3Options(
        @Setting(value = "The bucket, which must exist", required = true)
        String bucket,

        @Setting("Prefix of every key, PREFIX/RUN/...; empty for none")
        String prefix,

        @Setting("The bucket's region") String region,

        @Setting("Address of another S3-compatible server, for example https://storage.example.org; null for Amazon's")
        String endpoint,

        @Setting(
                "Path-style addresses: the bucket is in the path, not in the host name; most servers except Amazon's need that")
        boolean pathStyle,

        @Setting("Where to find the access keys; they are never part of a configuration")
        KeyOptions keys,

        @Setting("Limits for concurrent transfers") TransferOptions transfer) {
    /** @throws io.hirundo.ConfigurationException if the endpoint is no address, or may hold a secret: before the options are shown or stored */
    public S3Options {
        if (endpoint != null) {
            Endpoint.of(endpoint);
        }
    }

    public S3Options() {
        this(null, "", "us-east-1", null, false, new KeyOptions(), new TransferOptions());
    }

    /**
     * Where to find the access keys.
     *
     * @param file with profiles, in the format of {@code ~/.aws/credentials}; reread when it changes; null for environment variables
     */
    public record KeyOptions(
            @Setting("Environment variable with the access key's id")
            String idVariable,

            @Setting("Environment variable with the secret access key")
            String secretVariable,

            @Setting("Environment variable with the session token of temporary keys; may be unset")
            String tokenVariable,

            @Setting("File with profiles, like ~/.aws/credentials, instead of the variables; reread when it changes")
            String file,

            @Setting("Profile in the file") String profile) {
        public KeyOptions() {
            this("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", null, "default");
        }
    }

    /**
     * Limits for transfers.
     *
     * @param partBytes longer files are split into parts of this size, each with a checksum
     * @param parallel concurrent parts
     */
    public record TransferOptions(
            @Setting(
                    value = "Bytes per part of a multipart upload; each part has its own checksum",
                    min = 5 << 20,
                    max = 5L << 30)
            long partBytes,

            @Setting(value = "Concurrent parts", min = 1, max = 256)
            int parallel) {
        public TransferOptions() {
            this(64L << 20, 8);
        }
    }
}
