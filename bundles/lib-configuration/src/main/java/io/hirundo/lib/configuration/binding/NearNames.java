package io.hirundo.lib.configuration.binding;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Names that other programs have for strategies and settings of Hirundo. The closest spelling of {@code fp16} is {@code fp64}, but
 * whoever writes it wants 16 bits.
 */
final class NearNames {
    private static final Map<String, List<String>> HERE = new HashMap<>();

    static {
        // Precisions. FP16 needs loss scaling, which BF16 does without.
        put("bf16", "fp16", "float16", "half", "bfloat16", "f16", "amp", "mixed", "bf16mixed", "fp16mixed");
        put("fp32", "float32", "float", "single", "f32", "tf32");
        put("fp64", "float64", "double", "f64");
        put("fp8-blockwise", "fp8", "float8", "f8", "blockwise", "mxfp8");
        put("fp8-current", "tensorwise", "current", "rowwise", "pertensor", "dynamic");
        put("fp8-delayed", "delayed", "hybrid", "transformerengine", "te", "e4m3", "e5m2");
        // Optimizers and schedules of the learning rate
        put("adamw", "adam", "fusedadam", "distributedadam");
        put("cosine", "cosineannealing", "cosinewithwarmup", "warmupcosine");
        put("linear", "linearwithwarmup", "polynomial");
        put("wsd", "trapezoidal", "warmupstabledecay");
        put("constant", "constantwithwarmup");
        // Parallelism
        put("zero1", "ddp", "zero", "stage1", "distributedoptimizer", "dp");
        put("zero2", "stage2", "fsdp1");
        put("fsdp", "zero3", "stage3", "fsdp2", "hsdp", "fullyshard");
        put("mpi", "nccl", "gloo", "openmpi", "torchrun", "rccl");
        put("local", "threads", "thread", "single");
        put("interleaved", "vpp", "virtual", "interleaved1f1b");
        put("zb-h1", "zb", "zerobubble", "zbh1");
        put("zb-v", "zbv", "dualpipev");
        put("ring", "p2p", "ringattention");
        put("column-row", "megatron", "tp");
        // Devices, data, models and stores
        put("cuda", "gpu", "nvidia", "cuda:0");
        put("indexed", "megatron", "mmap", "gpt", "bin");
        put("synthetic", "mock", "fake", "dummy", "random");
        put("huggingface", "hf", "safetensors", "transformers");
        put("torch-dcp", "dcp", "torch", "pytorch");
        put("dcp-async", "async", "dcp", "torchdist");
        put("llama", "mistral", "llama2", "llama3");
        put("gemma2", "gemma");
        put("s3", "aws", "minio");
        put("folder", "directory", "nfs");
        put("jsonl", "wandb", "tensorboard", "json");
        // Settings
        put("steps", "maxsteps", "iters", "trainiters", "iterations", "totalsteps");
        put(
                "sequenceTokens",
                "seqlen",
                "seqlength",
                "sequencelength",
                "maxseqlen",
                "contextlength",
                "blocksize",
                "maxlength");
        put("microBatch", "microbatchsize", "mbs", "localbatchsize", "perdevicetrainbatchsize");
        put("globalBatch", "globalbatchsize", "gbs", "batchsize", "batch");
        put("clipNorm", "clipgrad", "gradclip", "maxgradnorm", "maxnorm", "gradientclipping");
        put("recompute", "activationcheckpointing", "gradientcheckpointing");
        put("learningRate", "lr", "scheduler", "lrscheduler");
        put("peak", "lr", "maxlr", "learningrate");
        put("finalRate", "minlr", "endlr", "etamin");
        put("warmupSteps", "warmup", "lrwarmupiters", "numwarmupsteps", "warmupiters");
        put("epsilon", "eps", "adameps");
        put("tensor", "tp", "tensorparallel", "tensormodelparallelsize");
        put("pipeline", "pp", "pipelinemodelparallelsize");
        put("context", "cp", "contextparallelsize");
        put("data", "dp", "dataparallelsize");
        put("precision", "dtype", "mixedprecision");
        put("mesh", "parallelism", "parallel");
        put("everySteps", "interval", "saveinterval", "evalinterval", "every", "loginterval");
        put("samples", "evaliters");
    }

    private NearNames() {}

    private static void put(String here, String... elsewhere) {
        for (String each : elsewhere) {
            HERE.merge(
                    each,
                    List.of(here),
                    (one, other) -> Stream.concat(one.stream(), other.stream()).toList());
        }
    }

    /** The known name for a word of another program. */
    static Optional<String> of(String word, Collection<String> known) {
        String plain = word.toLowerCase(Locale.ROOT).replaceAll("[-_ .]", "");
        return HERE.getOrDefault(plain, List.of()).stream()
                .filter(known::contains)
                .findFirst();
    }
}
