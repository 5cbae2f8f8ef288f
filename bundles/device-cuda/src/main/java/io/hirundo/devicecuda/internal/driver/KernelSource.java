package io.hirundo.devicecuda.internal.driver;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * A file of kernels, from this bundle.
 *
 * @param name without {@code .cu}
 * @param header what all files include
 */
public record KernelSource(String name, String text, String header) {
  static final String HEADER = "common.cuh";

  private static final String FOLDER = "/cuda/sm90/";

  public static KernelSource of(String name) {
    return new KernelSource(name, read(name + ".cu"), read(HEADER));
  }

  String fileName() {
    return name + ".cu";
  }

  private static String read(String file) {
    try (InputStream in = KernelSource.class.getResourceAsStream(FOLDER + file)) {
      if (in == null) {
        throw new IllegalStateException("the bundle device-cuda has no " + FOLDER + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
