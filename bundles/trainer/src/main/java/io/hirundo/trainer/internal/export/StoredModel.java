package io.hirundo.trainer.internal.export;

import io.hirundo.checkpoint.ModelDescription;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.trainer.internal.record.EventBus;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** The stored models that a run starts from and exports. */
public record StoredModel(LocalRun run, RunDirectory directory) {
    /** Checks the loaded model before the first step. In a run of several processes one of them reads the files again. */
    public void requireLoaded(EventBus all) {
        String from = run.configuration().model().from();
        Optional<ModelParity> parity = from == null ? Optional.empty() : ModelParity.of(run);
        if (parity.isPresent() && directory.leads()) {
            try (ModelReader reader =
                    run.strategies().model().format().orElseThrow().open(Path.of(from))) {
                parity.get().requireLoaded(Path.of(from), reader);
            }
            parity.get().found().ifPresent(all::on);
        }
    }

    /** Exports the current model with its tokenizer, if the run exports one. */
    public void write(EventBus all) {
        if (!run.configuration().model().export()) {
            return;
        }
        Strategies strategies = run.strategies();
        var model = strategies.model();
        Optional<ModelParity> parity = ModelParity.of(run);
        var tokenizer = new ModelTokenizer(
                        strategies.data().tokenizer(), strategies.data().inherited())
                .usableFor(model.architecture().describe());
        var format = model.exportFormat().orElseThrow();
        var trained = new TrainedModel(
                run.configuration(),
                model,
                strategies.compute().precision(),
                strategies.data().source(),
                strategies.data().tokenizer(),
                run.stepsDone());
        Optional<ModelDescription> description =
                directory.leads() ? Optional.of(trained.description()) : Optional.empty();
        Consumer<ModelReader> check = written -> {
            parity.ifPresent(each -> each.requireWritten(directory.model(), written));
            tokenizer.saveWith(written);
            written.folder().ifPresent(folder -> format.describe(folder, description.orElseThrow()));
        };
        run.forEachRank(part ->
                new ModelExport(part.model(), trained.dtype()).write(format, directory.model(), model.choice(), check));
        parity.flatMap(ModelParity::found).ifPresent(all::on);
        if (directory.leads()) {
            tokenizer.saveInto(directory.model());
        }
    }
}
