package io.hirundo.monitor.internal.jsonl;

import io.hirundo.event.TrainingListener;
import io.hirundo.strategy.NoOptions;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.MonitorContract;

@HirundoContract
class JsonlContractTest implements MonitorContract {
    @Override
    public TrainingListener listener() {
        return new JsonlFactory().create(new NoOptions());
    }
}
