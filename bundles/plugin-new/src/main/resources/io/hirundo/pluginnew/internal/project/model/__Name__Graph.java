package __package__;

import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.transformer.block.Decoder;
import io.hirundo.lib.transformer.block.OptionCheck;
import io.hirundo.lib.transformer.block.RotaryFrequencies;

/**
 * The layer graph. {@link Decoder} declares its layers and builds blocks of them; {@code Features} and {@code Style} are what families
 * differ in. An architecture that differs in more implements {@link io.hirundo.model.Architecture} itself.
 */
final class __Name__Graph {
    private static final OptionCheck CHECK = new OptionCheck(__Name__Factory.NAME);

    private __Name__Graph() {}

    /** Rejects options that cannot make a model. */
    static Decoder of(__Name__Options o) {
        var sizes = new Decoder.Sizes(
                o.vocabSize(),
                o.hiddenSize(),
                o.intermediateSize(),
                o.numHiddenLayers(),
                o.maxPositionEmbeddings(),
                o.rmsNormEps(),
                o.tieWordEmbeddings(),
                o.initializerRange());
        CHECK.sizes(sizes);
        CHECK.require("ropeTheta", o.ropeTheta(), OptionCheck.isPositive(o.ropeTheta()), "above 0");
        Heads heads = CHECK.heads(o.numAttentionHeads(), o.numKeyValueHeads(), o.headDim(), o.hiddenSize());
        var features = new Decoder.Features(o.headNorms(), false, false, false);
        return new Decoder(
                sizes, heads, RotaryFrequencies.of(heads.dim(), o.ropeTheta()), features, Decoder.Style.PLAIN);
    }
}
