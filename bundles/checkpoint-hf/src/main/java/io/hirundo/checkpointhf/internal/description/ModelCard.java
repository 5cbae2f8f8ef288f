package io.hirundo.checkpointhf.internal.description;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.hirundo.checkpoint.ModelDescription;
import io.hirundo.checkpointhf.internal.file.Json;
import java.util.Optional;

/**
 * The {@code README.md} of a model, with the YAML front matter that the Hugging Face Hub reads. Names and settings come from
 * configurations and folders: they are quoted in YAML and escaped in Markdown.
 */
final class ModelCard {
    private static final String NOT_STATED = "not stated";

    private ModelCard() {}

    static String of(ModelDescription description) {
        var card = new StringBuilder();
        frontMatter(card, description);
        card.append("\n# ").append(markdown(description.title())).append("\n\n");
        card.append("A language model trained with Hirundo");
        startedFrom(description)
                .ifPresent(base -> card.append(", starting from ").append(markdown(base)));
        card.append(".\n\n## How to load it\n\n");
        card.append("""
        Replace `FOLDER` by the path of this folder. With Transformers:

        ```python
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained("FOLDER")
        model = AutoModelForCausalLM.from_pretrained("FOLDER", dtype="auto")
        inputs = tokenizer("Once upon a time", return_tensors="pt")
        print(tokenizer.decode(model.generate(**inputs, max_new_tokens=100)[0]))
        ```

        With Hirundo:

        ```
        hirundo generate --model FOLDER --prompt 'Once upon a time'
        ```

        ## Licenses

        | What | License |
        |---|---|
        """);
        row(card, "This model", description.notes().license().orElse(NOT_STATED));
        row(card, "Training data", description.dataLicense().orElse(NOT_STATED));
        card.append("\n## Training\n\n| What | Value |\n|---|---|\n");
        description.facts().forEach((name, value) -> row(card, name, value));
        return card.toString();
    }

    private static Optional<String> startedFrom(ModelDescription description) {
        return description.notes().publishedName().or(description::startedFrom);
    }

    private static void frontMatter(StringBuilder card, ModelDescription description) {
        card.append("---\n");
        description
                .notes()
                .license()
                .ifPresent(license ->
                        card.append("license: ").append(yaml(license)).append('\n'));
        // The Hub takes published names only, and rejects a card with anything else here.
        description
                .notes()
                .publishedName()
                .ifPresent(
                        name -> card.append("base_model: ").append(yaml(name)).append('\n'));
        card.append("library_name: transformers\npipeline_tag: text-generation\ntags:\n- hirundo\n---\n");
    }

    private static void row(StringBuilder card, String name, String value) {
        card.append("| ")
                .append(markdown(name))
                .append(" | ")
                .append(markdown(value))
                .append(" |\n");
    }

    /** A string of JSON is one of YAML. */
    private static String yaml(String text) {
        try {
            return Json.mapper().writeValueAsString(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a text that cannot be written as JSON", e);
        }
    }

    /** One line in which nothing is markup. */
    static String markdown(String text) {
        return text.replaceAll("[\\p{Cntrl}\\u2028\\u2029]+", " ")
                .replaceAll("[\\\\`*_{}\\[\\]<>#|~!&$]", "\\\\$0")
                .strip();
    }
}
