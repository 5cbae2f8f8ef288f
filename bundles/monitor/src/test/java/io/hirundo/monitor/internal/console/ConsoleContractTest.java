package io.hirundo.monitor.internal.console;

import io.hirundo.event.TrainingListener;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.MonitorContract;

@HirundoContract
class ConsoleContractTest implements MonitorContract {
    @Override
    public TrainingListener listener() {
        return new ConsoleFactory().create(new ConsoleOptions());
    }
}
