package io.hirundo.devicecuda.internal.compile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Machine code that nvcc compiled ahead of time. {@code tools/gpu-bundle} adds it to this bundle with a list of its inputs: the SHA-256 of
 * each source and header, and the compiler's options and version. Code of other sources or options is not used, nor code of a newer major
 * version of nvcc than the driver supports.
 */
public final class Cubins {
    private static final String FOLDER = "/cuda/sm90/cubin/";
    private static final String LIST = "made-of.txt";
    private static final String SOURCE = ".cu";
    private static final String NVCC = "nvcc";
    private static final String OPTIONS = "options";

    private final Function<String, Optional<byte[]>> files;

    /** SHA-256 by file, and options and version of the compiler. */
    private final Map<String, String> madeOf = new HashMap<>();

    /** {@code files}: content by name, including the list {@code made-of.txt}, without which there are no cubins. */
    public Cubins(Function<String, Optional<byte[]>> files) {
        this.files = files;
        files.apply(LIST)
                .ifPresent(
                        text -> new String(text, StandardCharsets.UTF_8).lines().forEach(this::remember));
    }

    /** Parses a line: {@code SHA-256  file}, {@code options TEXT} or {@code nvcc VERSION}. */
    private void remember(String line) {
        String[] words = line.split(" +", 2);
        boolean isFile = !words[0].equals(OPTIONS) && !words[0].equals(NVCC);
        madeOf.put(isFile ? words[1] : words[0], isFile ? words[0] : words[1]);
    }

    /** The cubins of this bundle; none in a plain build. */
    public static Cubins ofBundle() {
        return new Cubins(name -> read(FOLDER + name));
    }

    public static Cubins none() {
        return new Cubins(name -> Optional.empty());
    }

    private static Optional<byte[]> read(String resource) {
        try (InputStream in = Cubins.class.getResourceAsStream(resource)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The cubin of exactly this source and these options; empty if there is none. */
    Optional<byte[]> of(KernelSource source) {
        boolean same = String.join(" ", KernelCompiler.OPTIONS).equals(madeOf.get(OPTIONS))
                && sha256(source.text()).equals(madeOf.get(source.fileName()))
                && source.headers().entrySet().stream()
                        .allMatch(header -> sha256(header.getValue()).equals(madeOf.get(header.getKey())));
        return same ? files.apply(source.name() + ".cubin") : Optional.empty();
    }

    /** These cubins, or none if they come from a newer major version than the driver supports. {@code driverVersion}: for example 13000. */
    public Cubins loadableBy(int driverVersion) {
        String version = madeOf.getOrDefault(NVCC, "0");
        return Integer.parseInt(version.split("\\.", 2)[0]) <= driverVersion / 1000 ? this : none();
    }

    public boolean isEmpty() {
        return madeOf.isEmpty();
    }

    /** Kernel files without a matching cubin. */
    public List<String> lacking() {
        return sources().filter(name -> of(KernelSource.of(name)).isEmpty()).toList();
    }

    /** Whether no kernel needs to be compiled. */
    public boolean isComplete() {
        return !isEmpty() && lacking().isEmpty();
    }

    private Stream<String> sources() {
        return madeOf.keySet().stream()
                .filter(name -> name.endsWith(SOURCE))
                .map(name -> name.substring(0, name.length() - SOURCE.length()))
                .sorted();
    }

    /** For example {@code nvcc 13.0.88}. */
    public String compiler() {
        return NVCC + " " + madeOf.get(NVCC);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
