package io.hirundo.itests.faults;

import static io.hirundo.itests.damage.FileFaults.content;
import static io.hirundo.itests.damage.JsonFaults.LONG_NAME;
import static io.hirundo.itests.damage.JsonFaults.WHOLE_FILE;

import io.hirundo.itests.damage.Breakage;
import io.hirundo.itests.damage.FileFaults;
import io.hirundo.itests.damage.JsonFaults;
import java.nio.file.Files;
import java.util.Map;

/** A run's configuration as JSON and YAML, its settings, values of {@code --set}, and tables of pipeline schedules. */
final class ConfigurationFaults {
    private static final int CONFIGURATION = 78;

    private ConfigurationFaults() {}

    static void add(Zoo zoo, Originals originals) {
        json(zoo, originals);
        yaml(zoo, originals);
        assignments(zoo, originals);
        plans(zoo, originals);
        tables(zoo, originals);
    }

    private static void json(Zoo zoo, Originals originals) {
        var json = zoo.reader(
                "configuration as JSON",
                originals.configuration(),
                "run.json",
                CONFIGURATION,
                "config",
                "show",
                "{}/run.json");
        json.add("absent", FileFaults.absent())
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign());
        json.addAll(FileFaults.truncated(10, 50, 90)).add("last brace gone", FileFaults.shortened(2));
        json.addAll(JsonFaults.otherThanAnObject(WHOLE_FILE));
        json.says("training").addAll(JsonFaults.without(WHOLE_FILE, "/training"));
        json.says("training").addAll(JsonFaults.values(WHOLE_FILE, "/training", "null", "[]", "\"text\"", "12"));
        json.says("training.steps")
                .addAll(JsonFaults.values(
                        WHOLE_FILE,
                        "/training/steps",
                        "null",
                        "0",
                        "-1",
                        "1.5",
                        "1e300",
                        "9223372036854775808",
                        "\"many\"",
                        "[1]",
                        "{\"a\": 1}",
                        "true"));
        json.says("digits").addAll(JsonFaults.values(WHOLE_FILE, "/training/steps", "9".repeat(5_000)));
        json.says("learningRate")
                .addAll(JsonFaults.more(
                        WHOLE_FILE, "learningRate", "{\"name\": \"constant\", \"options\": {\"peak\": \"NaN\"}}"));
        json.says("run.name")
                .addAll(JsonFaults.values(
                        WHOLE_FILE,
                        "/run/name",
                        "\"\"",
                        "\"../out\"",
                        "\"a/b\"",
                        "\"a\\u0000b\"",
                        "\"\\u001b[31m\"",
                        "12"));
        json.says("run.name").addAll(JsonFaults.values(WHOLE_FILE, "/run/name", "\"" + LONG_NAME + "\""));
        json.says("schemaVersion").addAll(JsonFaults.values(WHOLE_FILE, "/schemaVersion", "99", "\"one\"", "null"));
        json.says("nnnn").addAll(JsonFaults.more(WHOLE_FILE, LONG_NAME, "1"));
        json.says("unknown key").addAll(JsonFaults.more(WHOLE_FILE, "\t".repeat(64), "1"));
        json.says("to print all that are allowed: ")
                .addAll(JsonFaults.values(WHOLE_FILE, "/model/architecture/options", "{\"" + LONG_NAME + "\": 1}"));
        json.says("stepz").addAll(JsonFaults.values(WHOLE_FILE, "/training", "{\"stepz\": 1, \"steps\": 2}"));
        json.says("data.source")
                .addAll(JsonFaults.values(
                        WHOLE_FILE, "/data/source", "\"nowhere\"", "{\"nam\": \"synthetic\"}", "[\"synthetic\"]"));
        json.says("data.source")
                .addAll(JsonFaults.values(WHOLE_FILE, "/data/source/name", "\"" + LONG_NAME + "\"", "7"));
        json.says("vocabSize")
                .addAll(JsonFaults.values(
                        WHOLE_FILE,
                        "/model/architecture/options/vocabSize",
                        "0",
                        "-5",
                        "2147483648",
                        "\"big\"",
                        "null"));
    }

    private static void yaml(Zoo zoo, Originals originals) {
        var yaml = zoo.reader(
                "configuration as YAML",
                originals.configuration(),
                "run.yaml",
                CONFIGURATION,
                "config",
                "show",
                "{}/run.yaml");
        yaml.add("absent", FileFaults.absent())
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign());
        yaml.addAll(FileFaults.truncated(40, 85));
        Map<String, String> texts = Map.ofEntries(
                Map.entry("tab as indentation", "run:\n\tname: zoo\n"),
                Map.entry("duplicate key", "run: {name: a}\nrun: {name: b}\n"),
                Map.entry("alias without anchor", "run: *nobody\n"),
                Map.entry("billion laughs", laughs()),
                Map.entry("alias to itself", "run: &a [*a]\n"),
                Map.entry(
                        "class to construct",
                        "!!javax.script.ScriptEngineManager [!!java.net.URLClassLoader [[!!java.net.URL ['http://127.0.0.1:1/']]]]\n"),
                Map.entry("unknown tag", "run: !secret {name: a}\n"),
                Map.entry("two documents", "run: {name: a}\n---\nrun: {name: b}\n"),
                Map.entry("list for all", "- run\n- model\n"),
                Map.entry("text for all", "just some words\n"),
                Map.entry("unclosed quote", "run: {name: 'zoo}\n"),
                Map.entry("nested deep", "a: ".repeat(1) + "[".repeat(20_000)),
                Map.entry("NUL", "run: {name: \u0000}\n"),
                Map.entry("number as key", "1: 2\n"),
                Map.entry("null as key", "~: 2\n"),
                Map.entry("list as key", "? [a, b]\n: 2\n"));
        texts.forEach((name, text) -> yaml.add(name, content(text)));
        yaml.add("not UTF-8", content(new byte[] {'r', 'u', 'n', ':', ' ', (byte) 0xff, (byte) 0xfe, '\n'}));
        yaml.add(
                "UTF-16",
                file -> Files.write(file, Files.readString(file).getBytes(java.nio.charset.StandardCharsets.UTF_16)));
        yaml.add("30 MB of one line", content("run: {name: " + "x".repeat(30_000_000) + "}\n"));
    }

    private static String laughs() {
        var text = new StringBuilder("a0: &a0 [lol, lol]\n");
        for (int i = 1; i < 40; i++) {
            text.append("a%d: &a%d [*a%d, *a%d, *a%d]\n".formatted(i, i, i - 1, i - 1, i - 1));
        }
        return text.toString();
    }

    private static void assignments(Zoo zoo, Originals originals) {
        Breakage none = file -> {};
        var set = zoo.reader(
                "--set",
                originals.configuration(),
                "run.json",
                CONFIGURATION,
                "config",
                "show",
                "{}/run.json",
                "--set");
        Map<String, String> unknown = Map.of(
                "training.stepz=1",
                "stepz",
                "steps=1",
                "steps",
                "training.steps.more=1",
                "training.steps",
                "training=1",
                "training",
                "monitors.7=console",
                "monitors",
                "monitors.x=console",
                "monitors",
                "training.steps=[1",
                "training.steps",
                "training.steps={",
                "training.steps",
                "training.steps=1e999",
                "training.steps",
                "data.source=*a",
                "data.source");
        unknown.forEach((assignment, word) -> set.says(word).with(assignment).add(assignment, none));
        set.says("--set").with("training.steps").add("no value", none);
        set.says("--set").with("=1").add("no path", none);
        set.says("--set").with("").add("nothing", none);
        set.says("--set").with("..=1").add("dots only", none);
        set.says("nnn").with(LONG_NAME + "=1").add("path of 5,000 characters", none);
        set.says("there is no").with("t" + "\u000e".repeat(60) + ".s=u").add("path of control characters", none);
        set.says("run.name").with("run.name=" + LONG_NAME).add("value of 5,000 characters", none);
        set.says("training.steps").with("training.steps=" + "[".repeat(50_000)).add("nested deep", none);
        set.says("training").with("training." + "a.".repeat(5_000) + "b=1").add("path of 5,000 parts", none);
        set.says("run.name").with("run.name=\u001b[31mred").add("control characters", none);
    }

    private static void plans(Zoo zoo, Originals originals) {
        Breakage none = file -> {};
        var plan = zoo.reader(
                "sizes of a plan",
                originals.configuration(),
                "run.json",
                CONFIGURATION,
                "plan",
                "{}/run.json",
                "--set");
        String options = "model.architecture.options.";
        plan.says("numHiddenLayers")
                .with(options + "numHiddenLayers=2147483647")
                .add("2^31 - 1 layers", none);
        plan.says("numHiddenLayers").with(options + "numHiddenLayers=1000000").add("a million layers", none);
        plan.says("vocabSize")
                .with(options + "vocabSize=2147483647", "--set", options + "hiddenSize=2147483646")
                .says()
                .add("2^62 weights in a matrix", none);
        plan.says("numAttentionHeads").with(options + "numAttentionHeads=3").add("heads that do not divide", none);
        plan.says("mesh")
                .with("mesh.data=2147483647", "--set", "mesh.tensor=2147483647")
                .says()
                .add("2^62 ranks", none);
        plan.says()
                .with("training.microBatch=2147483647", "--set", "training.globalBatch=2147483647")
                .exits(71, 78)
                .add("2^31 samples", none);
        plan.says()
                .with("training.globalBatch=3", "--set", "training.microBatch=2")
                .add("batch that does not divide", none);
    }

    private static void tables(Zoo zoo, Originals originals) {
        var table = zoo.reader(
                "schedule as CSV",
                originals.configuration(),
                "schedule.csv",
                CONFIGURATION,
                "schedule",
                "--pp",
                "2",
                "--microbatches",
                "2",
                "--kind",
                "csv",
                "--option",
                "file={}/schedule.csv");
        table.add("absent", FileFaults.absent())
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign());
        Map<String, String> texts = Map.ofEntries(
                Map.entry("one row short", "F0,F1,B0,W0,B1,W1\n"),
                Map.entry("one row more", "F0,F1,B0,W0,B1,W1\nF0,B0,W0,F1,B1,W1\nF0\n"),
                Map.entry("deadlock", "B0,F0,F1,W0,B1,W1\nF0,B0,W0,F1,B1,W1\n"),
                Map.entry("an action twice", "F0,F0,F1,B0,W0,B1,W1\nF0,B0,W0,F1,B1,W1\n"),
                Map.entry("an action missing", "F0,F1,B0,W0,B1\nF0,B0,W0,F1,B1,W1\n"),
                Map.entry("unknown letter", "X0,F1\nF0\n"),
                Map.entry("negative microbatch", "F-1,F1\nF0\n"),
                Map.entry("huge microbatch", "F99999999999999999999\nF0\n"),
                Map.entry("microbatch beyond", "F0,F1,F7,B0,W0,B1,W1\nF0,B0,W0,F1,B1,W1\n"),
                Map.entry("huge chunk", "F0.2147483647,F1\nF0\n"),
                Map.entry("semicolons", "F0;F1;B0\nF0;B0\n"),
                Map.entry("cell of 5,000 characters", LONG_NAME + ",F0\nF0\n"),
                Map.entry("control characters", "F0,\u001b[31mF1\nF0\n"),
                Map.entry("quoted cells", "\"F0\",\"F1\"\n\"F0\"\n"));
        texts.forEach((name, text) -> table.add(name, content(text)));
        table.add("not UTF-8", content(new byte[] {'F', '0', ',', (byte) 0xff, '\n'}));
        table.add("a million rows", content("F0\n".repeat(1_000_000)));
    }
}
