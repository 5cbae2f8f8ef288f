package io.hirundo.lib.family;

/** Keys of a {@code config.json} that all families of decoders check alike. */
public final class DecoderFields {
    /** As many as the architectures' option allows: more are rejected before their tensors are listed. */
    private static final int MOST_LAYERS = 1 << 12;

    private DecoderFields() {}

    /** {@code num_hidden_layers}; {@code fallback} if missing. */
    public static int layers(Fields fields, int fallback) {
        int layers = fields.whole("num_hidden_layers", 1, fallback);
        if (layers > MOST_LAYERS) {
            throw fields.wrong("num_hidden_layers", "at most " + MOST_LAYERS);
        }
        return layers;
    }

    /** Rejects by name what no family computes: dropout, quantized weights. */
    public static void rejectUnsupported(Fields fields) {
        if (fields.number("attention_dropout", 0) != 0) {
            throw fields.wrong("attention_dropout", "0: dropout is not supported; set it to 0 to train without");
        }
        if (fields.has("quantization_config")) {
            throw fields.failure()
                    .apply(
                            fields.where()
                                    + ": 'quantization_config' is set, but quantized weights are not supported; use the unquantized model");
        }
    }
}
