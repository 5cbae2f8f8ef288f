package io.hirundo.lib.engine.step;

import io.hirundo.lib.engine.audit.RankAudit;
import io.hirundo.lib.engine.model.RankModel;
import java.util.Optional;

/** The audit of a step. It copies from other addresses in every step. */
public final class AuditInstrument implements StepInstrument {
    private final RankAudit audit;
    private final RankModel model;

    private AuditInstrument(RankAudit audit, RankModel model) {
        this.audit = audit;
        this.model = model;
    }

    /** Completes the audit of the step before. Empty if this step is not audited, the same on all ranks. */
    public static Optional<StepInstrument> next(RankAudit audit, RankModel model, long step) {
        audit.finish();
        return audit.isDue(step, model.blocks().layers().audited())
                ? Optional.of(new AuditInstrument(audit, model))
                : Optional.empty();
    }

    @Override
    public void begin(long step) {
        audit.beginStep(step, model.blocks().layers().audited());
    }

    @Override
    public void end() {
        audit.endStep(model.blocks().precision());
    }

    @Override
    public void abandon() {
        audit.abandonStep();
    }
}
