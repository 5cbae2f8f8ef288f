package io.hirundo.fp8pertensor.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Gives a trained Llama what large ones have (Sun et al. 2024, arXiv 2402.17762): one channel of the residual stream that is huge for
 * one token, a delimiter, and nothing otherwise. Here no layer reads that channel, so that the model computes the same in exact
 * arithmetic, and in bf16, whatever its size: all that can change is what the channel does to the codes of the others.
 *
 * <p>The channel is zero in the embedding of all tokens but one, in the rows of the matrices that write to the residual stream, and in
 * the columns of those that read it. Its gain in the norms before these is the factor.
 */
public final class MassiveActivations {
    private static final Pattern TENSOR = Pattern.compile(
            "\"(model\\.[^\"]+)\":\\{\"dtype\":\"(\\w+)\",\"shape\":\\[(\\d+)(?:,(\\d+))?],\"data_offsets\":\\[(\\d+),\\d+]}");

    /** Of the residual stream of the token: the largest by far, so that what remains of the others does not depend on the factor. */
    private static final float EMBEDDING = 10;

    private final ByteBuffer file;
    private final int dataBegin;
    private final int channel;
    private final int token;
    private final float factor;

    private MassiveActivations(ByteBuffer file, int channel, int token, float factor) {
        this.file = file.order(ByteOrder.LITTLE_ENDIAN);
        this.dataBegin = Math.toIntExact(Long.BYTES + file.getLong(0));
        this.channel = channel;
        this.token = token;
        this.factor = factor;
    }

    /** Folder of a Hugging Face model in FP32 in one file, folder of the changed copy, channel, token, factor. */
    public static void main(String[] arguments) throws IOException {
        Path from = Path.of(arguments[0]);
        Path to = Files.createDirectories(Path.of(arguments[1]));
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
                if (file.endsWith("model.safetensors")) {
                    new MassiveActivations(
                                    bytes,
                                    Integer.parseInt(arguments[2]),
                                    Integer.parseInt(arguments[3]),
                                    Float.parseFloat(arguments[4]))
                            .inject();
                }
                Files.write(to.resolve(file.getFileName()), bytes.array());
            }
        }
    }

    private void inject() {
        String header = new String(file.array(), Long.BYTES, dataBegin - Long.BYTES, StandardCharsets.UTF_8)
                .replaceAll("\\s", "");
        Matcher tensor = TENSOR.matcher(header);
        int changed = 0;
        while (tensor.find()) {
            if (!tensor.group(2).equals("F32")) {
                throw new IllegalArgumentException(tensor.group(1) + " is " + tensor.group(2) + ", not F32");
            }
            int rows = Integer.parseInt(tensor.group(3));
            int columns = tensor.group(4) == null ? 1 : Integer.parseInt(tensor.group(4));
            change(tensor.group(1), dataBegin + Integer.parseInt(tensor.group(5)), rows, columns);
            changed++;
        }
        if (changed == 0) {
            throw new IllegalArgumentException("no tensors of a Llama");
        }
    }

    private void change(String name, int at, int rows, int columns) {
        if (name.equals("model.embed_tokens.weight")) {
            clearColumn(at, rows, columns);
            put(at, token * columns + channel, EMBEDDING);
        } else if (name.endsWith("layernorm.weight")) {
            put(at, channel, factor);
        } else if (name.endsWith("o_proj.weight") || name.endsWith("down_proj.weight")) {
            for (int column = 0; column < columns; column++) {
                put(at, channel * columns + column, 0);
            }
        } else if (name.endsWith("_proj.weight")) {
            clearColumn(at, rows, columns);
        } else {
            // The last norm: the loss head is not to see the channel.
            put(at, channel, 0);
        }
    }

    private void clearColumn(int at, int rows, int columns) {
        for (int row = 0; row < rows; row++) {
            put(at, row * columns + channel, 0);
        }
    }

    private void put(int at, int element, float value) {
        file.putFloat(at + element * Float.BYTES, value);
    }
}
