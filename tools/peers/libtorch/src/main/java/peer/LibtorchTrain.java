package peer;

import static org.bytedeco.pytorch.global.torch.cat;
import static org.bytedeco.pytorch.global.torch.cross_entropy_loss;
import static org.bytedeco.pytorch.global.torch.embedding;
import static org.bytedeco.pytorch.global.torch.linear;
import static org.bytedeco.pytorch.global.torch.randint;
import static org.bytedeco.pytorch.global.torch.randn;
import static org.bytedeco.pytorch.global.torch.rms_norm;
import static org.bytedeco.pytorch.global.torch.scaled_dot_product_attention;
import static org.bytedeco.pytorch.global.torch.set_num_threads;
import static org.bytedeco.pytorch.global.torch.silu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.OptimizerParamGroup;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * A Llama trained with libtorch at the sizes of {@code llama-a.yaml} and {@code llama-b.yaml}. Arguments: a or b, fp32 or bf16, steps,
 * threads. BF16 rounds weights and activations for each step, with FP32 parameters, as autocast does. Prints a RESULT line for
 * {@code versus}.
 */
public final class LibtorchTrain {
    private record Sizes(
            int hidden, int layers, int heads, int kvHeads, int inner, int vocabulary, int tokens, int sequences) {
        int dim() {
            return hidden / heads;
        }
    }

    private record Layer(
            Tensor norm1,
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor output,
            Tensor norm2,
            Tensor gate,
            Tensor up,
            Tensor down) {}

    private static final double EPSILON = 1e-5;

    private final Sizes sizes;
    private final boolean bf16;
    private final TensorVector matrices = new TensorVector();
    private final TensorVector vectors = new TensorVector();
    private final List<Layer> layers = new ArrayList<>();
    private final Tensor table;
    private final Tensor norm;
    private final Tensor head;
    private final Tensor cos;
    private final Tensor sin;

    private LibtorchTrain(Sizes sizes, boolean bf16) {
        this.sizes = sizes;
        this.bf16 = bf16;
        int hidden = sizes.hidden;
        int keys = sizes.kvHeads * sizes.dim();
        table = matrix(sizes.vocabulary, hidden);
        for (int i = 0; i < sizes.layers; i++) {
            layers.add(new Layer(
                    vector(hidden),
                    matrix(hidden, hidden),
                    matrix(keys, hidden),
                    matrix(keys, hidden),
                    matrix(hidden, hidden),
                    vector(hidden),
                    matrix(sizes.inner, hidden),
                    matrix(sizes.inner, hidden),
                    matrix(hidden, sizes.inner)));
        }
        norm = vector(hidden);
        head = matrix(sizes.vocabulary, hidden);
        double[] cosines = new double[sizes.tokens * sizes.dim()];
        double[] sines = new double[cosines.length];
        int half = sizes.dim() / 2;
        for (int at = 0; at < cosines.length; at++) {
            double angle = at / sizes.dim() * Math.pow(500000, -(at % half) / (double) half);
            cosines[at] = Math.cos(angle);
            sines[at] = Math.sin(angle);
        }
        cos = Tensor.create(cosines, 1, 1, sizes.tokens, sizes.dim()).to(activations());
        sin = Tensor.create(sines, 1, 1, sizes.tokens, sizes.dim()).to(activations());
    }

    private ScalarType activations() {
        return bf16 ? ScalarType.BFloat16 : ScalarType.Float;
    }

    private Tensor matrix(long rows, long columns) {
        Tensor weight = randn(rows, columns).mul(new Scalar(0.02)).requires_grad_(true);
        matrices.push_back(weight);
        return weight;
    }

    private Tensor vector(int channels) {
        float[] ones = new float[channels];
        Arrays.fill(ones, 1);
        Tensor weight = Tensor.create(ones, channels).requires_grad_(true);
        vectors.push_back(weight);
        return weight;
    }

    private Tensor rounded(Tensor x) {
        return bf16 ? x.to(ScalarType.BFloat16) : x;
    }

    private Tensor project(Tensor x, Tensor weight) {
        return linear(x, rounded(weight));
    }

    private Tensor normalized(Tensor x, Tensor weight) {
        return rounded(rms_norm(x, new long[] {sizes.hidden}, new TensorOptional(weight), new DoubleOptional(EPSILON)));
    }

    private Tensor rotated(Tensor x) {
        int half = sizes.dim() / 2;
        Tensor turned = cat(new TensorVector(x.narrow(-1, half, half).neg(), x.narrow(-1, 0, half)), -1);
        return x.mul(cos).add(turned.mul(sin));
    }

    private Tensor split(Tensor x, int heads) {
        return x.view(sizes.sequences, sizes.tokens, heads, sizes.dim()).transpose(1, 2);
    }

    /** Key and value heads as often as query heads read them: faster here than libtorch's own grouped-query attention. */
    private Tensor repeated(Tensor x) {
        int times = sizes.heads / sizes.kvHeads;
        return times == 1
                ? x
                : x.unsqueeze(2)
                        .expand(sizes.sequences, sizes.kvHeads, times, sizes.tokens, sizes.dim())
                        .reshape(sizes.sequences, sizes.heads, sizes.tokens, sizes.dim());
    }

    private Tensor block(Layer layer, Tensor x) {
        Tensor y = normalized(x, layer.norm1);
        Tensor query = rotated(split(project(y, layer.query), sizes.heads));
        Tensor key = rotated(split(project(y, layer.key), sizes.kvHeads));
        Tensor value = split(project(y, layer.value), sizes.kvHeads);
        Tensor attended = scaled_dot_product_attention(
                query, repeated(key), repeated(value), new TensorOptional(), 0.0, true, new DoubleOptional(), false);
        Tensor joined = attended.transpose(1, 2).reshape(sizes.sequences, sizes.tokens, sizes.hidden);
        Tensor between = x.add(project(joined, layer.output));
        Tensor normed = normalized(between, layer.norm2);
        return between.add(project(silu(project(normed, layer.gate)).mul(project(normed, layer.up)), layer.down));
    }

    private Tensor loss(Tensor tokens, Tensor labels) {
        Tensor x = embedding(table, tokens);
        for (Layer layer : layers) {
            x = block(layer, x);
        }
        Tensor logits =
                project(normalized(x, norm), head).view((long) sizes.sequences * sizes.tokens, sizes.vocabulary);
        return cross_entropy_loss(bf16 ? logits.to(ScalarType.Float) : logits, labels);
    }

    private AdamW optimizer() {
        AdamW adam = new AdamW(matrices, options(0.1));
        OptimizerParamGroup undecayed = new OptimizerParamGroup(vectors);
        undecayed.set_options(options(0));
        adam.add_param_group(undecayed);
        return adam;
    }

    private static AdamWOptions options(double weightDecay) {
        AdamWOptions options = new AdamWOptions(1e-3);
        options.betas().put(0, 0.9).put(1, 0.95);
        options.eps().put(1e-8);
        options.weight_decay().put(weightDecay);
        return options;
    }

    public static void main(String[] arguments) throws IOException {
        Sizes sizes = arguments[0].equals("a")
                ? new Sizes(288, 6, 6, 6, 768, 4096, 256, 8)
                : new Sizes(512, 8, 8, 2, 1408, 32000, 512, 2);
        int steps = Integer.parseInt(arguments[2]);
        set_num_threads(Integer.parseInt(arguments[3]));
        LibtorchTrain model = new LibtorchTrain(sizes, arguments[1].equals("bf16"));
        AdamW adam = model.optimizer();
        long tokens = (long) sizes.sequences * sizes.tokens;
        double[] millis = new double[steps];
        for (int step = 0; step < steps; step++) {
            try (PointerScope scope = new PointerScope()) {
                Tensor inputs = randint(sizes.vocabulary, new long[] {sizes.sequences, sizes.tokens})
                        .to(ScalarType.Long);
                Tensor labels = randint(sizes.vocabulary, new long[] {tokens}).to(ScalarType.Long);
                long began = System.nanoTime();
                adam.zero_grad();
                Tensor loss = model.loss(inputs, labels);
                loss.backward();
                adam.step();
                loss.item_double();
                millis[step] = (System.nanoTime() - began) * 1e-6;
            }
        }
        double[] kept = Arrays.copyOfRange(millis, steps / 3, steps);
        Arrays.sort(kept);
        double median = kept[kept.length / 2];
        String peak = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmHWM"))
                .findFirst()
                .orElseThrow();
        System.out.printf(
                Locale.ROOT,
                "RESULT libtorch: median %.1f ms = %.1f tok/s; %s%n",
                median,
                tokens * 1e3 / median,
                peak.replaceAll("\\s+", " "));
    }
}
