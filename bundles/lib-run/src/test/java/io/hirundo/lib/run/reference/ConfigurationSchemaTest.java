package io.hirundo.lib.run.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.configuration.binding.Overrides;
import io.hirundo.lib.configuration.binding.Problems;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.lib.configuration.document.JsonText;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.ConfigurationBinderTest;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.StrategyTable;
import io.hirundo.lib.run.strategy.TestStrategies;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationSchemaTest {
    private final StrategyTable table = TestStrategies.table();
    private final String text = JsonText.pretty(ConfigurationSchema.of(table));
    private final Map<String, Object> schema = Documents.parse("schema", text, false);
    private final TinySchemaValidator validator = new TinySchemaValidator(schema);

    private static Map<String, Object> document(String... overrides) {
        Problems problems = new Problems();
        Map<String, Object> smallest = Documents.parse("c", ConfigurationBinderTest.SMALLEST, true);
        Map<String, Object> document =
                new Overrides(RunConfiguration.class).apply(smallest, List.of(overrides), problems);
        problems.throwIfAny("");
        return document;
    }

    @Test
    void acceptsAConfigurationAndTheConfigJsonOfARun() {
        assertTrue(validator.accepts(document()));
        RunConfiguration bound = new ConfigurationBinder(table).bind(document());
        assertTrue(validator.accepts(Documents.parse("c", ConfigurationBinder.json(bound), false)));
    }

    /** Editors must mark exactly what the program rejects. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "seed=1",
                "seed=1.0e3",
                "seed=1.5",
                "seed=\"x\"",
                "schemaVersion=0",
                "run.directory=5",
                "run={}",
                "runs={}",
                "device=cpu",
                "device=cpux",
                "device={name: cpu}",
                "device={name: cpu, options: {a: 1}}",
                "device={options: {}}",
                "device=null",
                "checkpoint.strategy=null",
                "model.export=true",
                "model.export=yes",
                "learningRate=cosine",
                "learningRate={name: cosine, options: {peak: 0}}",
                "learningRate={name: cosine, options: {peak: 1}}",
                "learningRate={name: cosine, options: {peak: 1.001}}",
                "learningRate={name: cosine, options: {warmupSteps: -1}}",
                "data.tokenizer=null",
                "data.tokenizer=huggingface",
                "data.source=indexed",
                "data.source={name: indexed}",
                "data.source={name: indexed, options: {prefix: a, part: half}}",
                "data.source={name: indexed, options: {prefix: a, part: none}}",
                "data.source={name: blend, options: {parts: [{name: indexed, options: {prefix: a}}], seed: 3}}",
                "data.source={name: blend, options: {parts: [indexed]}}",
                "data.source={name: blend, options: {parts: indexed}}",
                "data.source={name: blend, options: {parts: [], seed: 3000000000}}",
                "mesh.order=[data, tensor, pipeline, context]",
                "mesh.order=[dat]",
                "mesh.order=data",
                "mesh.tensor=0",
                "training.recompute=full",
                "training.recompute=FULL",
                "training.clipNorm=0",
                "training.clipNorm=-0.1",
                "training.steps=9223372036854775807",
                "training.sequenceTokens=2147483648",
                "evaluation.watched={english: {name: indexed, options: {prefix: e}}}",
                "evaluation.watched={english: 3}",
                "monitors=[]",
                "monitors=[console, {name: jsonl}]",
                "monitors=console",
            })
    void schemaAndBinderAgree(String override) {
        Map<String, Object> document;
        try {
            document = document(override);
        } catch (ConfigurationException e) {
            return; // a path that does not exist never reaches a document
        }
        assertEquals(isBound(document), validator.accepts(document));
    }

    private boolean isBound(Map<String, Object> document) {
        try {
            new ConfigurationBinder(table).bind(document);
            return true;
        } catch (ConfigurationException e) {
            return false;
        }
    }

    @Test
    void requiresMandatorySettingsOnEveryLevel() {
        assertEquals(List.of("run", "training", "data"), schema.get("required"));
        assertFalse(validator.accepts(Map.of()));
    }

    @Test
    void describesSettings() {
        Map<?, ?> properties = (Map<?, ?>) schema.get("properties");
        assertEquals("""
        {"description":"Device backend","$ref":"#/$defs/device","default":"cpu"}""", JsonText.compact(properties.get("device")));
        Map<?, ?> training = (Map<?, ?>) ((Map<?, ?>) properties.get("training")).get("properties");
        assertEquals("""
        {"description":"Sequences per microbatch and data-parallel rank","type":"integer","minimum":1,"maximum":16777216,\
        "default":1}""", JsonText.compact(training.get("microBatch")));
        assertEquals("""
        {"description":"Optimizer steps of the run","type":"integer","minimum":1,"maximum":1000000000000}""", JsonText.compact(training.get("steps")));
    }

    @Test
    void rejectsEveryChoiceOfAKindWithoutStrategies() {
        var empty = new TinySchemaValidator(ConfigurationSchema.of(StrategyTable.of()));
        assertFalse(empty.accepts(document()));
        assertFalse(empty.accepts(document("device=cpu")));
    }
}
