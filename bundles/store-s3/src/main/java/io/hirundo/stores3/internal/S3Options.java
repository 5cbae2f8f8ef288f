package io.hirundo.stores3.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of the checkpoint store {@code s3}.
 *
 * @param bucket must exist
 * @param prefix in front of every key, without slashes around it; empty for none
 * @param endpoint of a server that speaks S3; null for Amazon's in the region
 */
public record S3Options(
    @Setting(value = "The bucket, which must exist", required = true) String bucket,
    @Setting("In front of every key: PREFIX/RUN/...; empty for nothing") String prefix,
    @Setting("The bucket's region") String region,
    @Setting("Address of another server that speaks S3, https://storage.example.org for instance; null for Amazon's") String endpoint,
    @Setting("Whether the bucket stands in the path of addresses and not in the name of the host; most servers but Amazon's want that")
        boolean pathStyle,
    @Setting("Where the keys are found that requests are signed with; they are never part of a configuration") KeyOptions keys,
    @Setting("How much is under way at a time") TransferOptions transfer) {
  public S3Options() {
    this(null, "", "us-east-1", null, false, new KeyOptions(), new TransferOptions());
  }

  /**
   * Where the keys are found.
   *
   * @param file with profiles, in the format of {@code ~/.aws/credentials}; read again when it has changed; null for the variables
   */
  public record KeyOptions(
      @Setting("Environment variable with the access key's id") String idVariable,
      @Setting("Environment variable with the secret access key") String secretVariable,
      @Setting("Environment variable with the session token of keys that pass; need not be set") String tokenVariable,
      @Setting("File with profiles, as ~/.aws/credentials is one, instead of the variables; read again when it has changed") String file,
      @Setting("Which profile of the file") String profile) {
    public KeyOptions() {
      this("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", null, "default");
    }
  }

  /**
   * How much is under way.
   *
   * @param partBytes files that are longer are stored in parts of this size, which have a checksum each
   * @param parallel parts at a time
   */
  public record TransferOptions(
      @Setting(value = "Bytes of a part of a file, which is sent, summed and fetched by itself", min = 5 << 20, max = 5L << 30)
          long partBytes,
      @Setting(value = "Parts that are under way at a time", min = 1, max = 256) int parallel) {
    public TransferOptions() {
      this(64L << 20, 8);
    }
  }
}
