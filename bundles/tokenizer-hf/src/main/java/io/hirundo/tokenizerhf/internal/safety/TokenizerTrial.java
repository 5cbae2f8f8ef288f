package io.hirundo.tokenizerhf.internal.safety;

import ai.djl.huggingface.tokenizers.jni.CharSpan;
import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.command.Interruption;
import io.hirundo.lib.files.Folders;
import io.hirundo.lib.files.TemporaryFolders;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.tokenizerhf.internal.files.VocabularyScan;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Checks a {@code tokenizer.json} in a child process before loading it into this one. The native library ends its process on some files
 * (a panic, a stack overflow), and no static check can predict all of them.
 *
 * <p>Starts a JVM with three classes of this bundle. The cache folder stores the hashes of files that passed, so only the first use of a
 * file costs time: about half a second and the file's load time. Of very many added tokens it loads the first ({@link TrialInput}).
 */
public final class TokenizerTrial {
    /** Increase when {@link TrialMain} checks more, so that all files are checked again. */
    private static final int VERSION = 3;

    private static final long SECONDS = 300;
    private static final int MOST_OUTPUT_BYTES = 1 << 16;
    private static final List<Class<?>> CLASSES = List.of(TrialMain.class, TokenizersLibrary.class, CharSpan.class);

    /** 128 plus a signal that a crashing process raises: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV. */
    private static final List<Integer> CRASHES = List.of(132, 133, 134, 135, 136, 139);

    private final NativeFile library;
    private final Path passed;
    private final Interruption interruption;

    /** Locates the native library. */
    @FunctionalInterface
    public interface NativeFile {
        /** The library's file, unpacked into {@code scratch} if it is not cached. */
        Path in(Path scratch);
    }

    /**
     * @param passed folder with the hashes of files that passed, one per version of the library; null for no cache
     * @param interruption ends a running check
     */
    public TokenizerTrial(NativeFile library, Path passed, Interruption interruption) {
        this.interruption = interruption;
        this.library = library;
        this.passed = passed;
    }

    /**
     * Checks a file.
     *
     * @param scan of the file
     * @param where name of the file, for messages
     * @throws DataException if the library crashes on it or rejects it
     * @throws io.hirundo.HirundoException with {@link io.hirundo.ExitCode#INTERRUPTED} if the user interrupts the check
     */
    public void require(byte[] json, VocabularyScan scan, String where) {
        Path mark = passed == null ? null : passed.resolve(sha256(json) + "." + VERSION);
        if (mark != null && Files.exists(mark)) {
            return;
        }
        try {
            Path scratch = TemporaryFolders.create("tokenizer-trial-");
            try {
                run(TrialInput.of(json, scan.sections()), scan.vocabularySize(), where, scratch);
            } finally {
                TemporaryFolders.delete(scratch);
            }
            if (mark != null) {
                mark(mark);
            }
        } catch (IOException e) {
            throw new StorageException(
                    "tokenizer " + where + ": cannot be tried in a process of its own: " + Reason.of(e)
                            + ": make room in the folder for temporary files, or set TMPDIR to another",
                    e);
        }
    }

    private static void mark(Path mark) throws IOException {
        Folders.createPrivate(mark.getParent());
        try {
            Files.createFile(mark);
        } catch (FileAlreadyExistsException _) {
            // Another process has checked the same file.
        }
    }

    private void run(TrialInput input, int vocabularySize, String where, Path scratch) throws IOException {
        for (Class<?> each : CLASSES) {
            copy(each, scratch);
        }
        Path output = scratch.resolve("output");
        Path errors = scratch.resolve("errors");
        TrialLimits limits = TrialLimits.of(input.json().length);
        List<String> java = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx" + limits.heapMegabytes() + "m",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+SuppressFatalErrorMessage",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                scratch.toString(),
                TrialMain.class.getName(),
                library.in(scratch).toAbsolutePath().toString(),
                String.valueOf(vocabularySize),
                String.valueOf(input.json().length),
                String.valueOf(input.names().length));
        var builder = new ProcessBuilder(limits.applied(java))
                .directory(scratch.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        // Do not inherit JVM options: an agent or a port may conflict.
        List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "RUST_BACKTRACE")
                .forEach(builder.environment()::remove);
        // The stacks of the library's threads would count as memory, two megabytes for each processor.
        builder.environment().put("RAYON_NUM_THREADS", "1");
        Process process = builder.start();
        // Writing and waiting both end with the process. Its standard input stays open: the process ends when it is
        // closed, also by the
        // kernel after this process was killed.
        try (var _ = interruption.onRequest(process::destroyForcibly)) {
            feed(process.getOutputStream(), input);
            judge(
                    await(process, where),
                    Excerpts.firstLine(output),
                    new Failure(Excerpts.panic(errors), limits),
                    where);
        } finally {
            process.destroyForcibly();
        }
    }

    /** A process that dies while reading breaks the pipe; its exit code tells the reason. */
    private static void feed(OutputStream in, TrialInput input) {
        try {
            in.write(input.json());
            in.write(input.names());
            in.flush();
        } catch (IOException _) {
            // As above.
        }
    }

    /** What the process printed when it failed, and its limits. */
    private record Failure(String panic, TrialLimits limits) {}

    private int await(Process process, String where) {
        try {
            boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
            if (interruption.isRequested()) {
                throw new InterruptedTrialException(where, null);
            }
            if (ended) {
                return process.exitValue();
            }
            throw new DataException("tokenizer " + where + ": the tokenizers' library has not finished with it after "
                    + SECONDS + " seconds: use another tokenizer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedTrialException(where, e);
        }
    }

    private static void judge(int code, String answer, Failure failure, String where) {
        if (code == 0 && answer.equals(String.valueOf(TrialMain.USABLE))) {
            return;
        }
        if (code == 0 && answer.indexOf(TrialMain.REJECTED) == 0) {
            throw new DataException("tokenizer " + where + ": the Hugging Face library does not accept it ("
                    + Excerpt.of(answer.substring(1))
                    + "): save it again with a current version of the tool that made it");
        }
        String panic = failure.panic();
        String exceeded = failure.limits().exceeded(code, panic);
        if (!exceeded.isEmpty()) {
            throw new DataException("tokenizer " + where + ": the tokenizers' library needs " + exceeded
                    + " for it: use a tokenizer whose normalizer and vocabulary are smaller");
        }
        if (CRASHES.contains(code)) {
            throw new DataException("tokenizer " + where + ": the tokenizers' library crashes on it"
                    + (panic.isEmpty() ? "" : " (" + panic + ")") + ": fetch it again, or use another tokenizer");
        }
        throw new DataException("tokenizer " + where + ": the process that tried it ended with code " + code
                + (panic.isEmpty() ? "" : " (" + panic + ")") + ": run again; use another tokenizer if it stays so");
    }

    private static void copy(Class<?> type, Path folder) throws IOException {
        String name = type.getName().replace('.', '/') + ".class";
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        try (InputStream in = TokenizerTrial.class.getResourceAsStream("/" + name)) {
            Files.copy(in, file);
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The output of the process. */
    private static final class Excerpts {
        static String firstLine(Path file) throws IOException {
            return head(file).lines().findFirst().orElse("");
        }

        /** The line after Rust's panic message; otherwise the first. */
        static String panic(Path file) throws IOException {
            List<String> lines =
                    head(file).lines().filter(line -> !line.isBlank()).toList();
            for (int i = 0; i + 1 < lines.size(); i++) {
                if (lines.get(i).contains("panicked at")) {
                    return Excerpt.of(lines.get(i + 1));
                }
            }
            return lines.isEmpty() ? "" : Excerpt.of(lines.getFirst());
        }

        private static String head(Path file) throws IOException {
            InputFiles.requireRegular(file);
            try (InputStream in = Files.newInputStream(file)) {
                return new String(in.readNBytes(MOST_OUTPUT_BYTES), StandardCharsets.UTF_8);
            }
        }
    }
}
