package io.hirundo.planner.internal.plan;

import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.accounting.CountedFabric;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.rank.RankTeam;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.mesh.Pending;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The reference for plans: all ranks of the mesh together, as threads on a fabric that moves data between them. */
final class AllRanks {
    private AllRanks() {}

    static List<DryRun.OfRank> of(RunConfiguration configuration, Strategies strategies) {
        var mesh = configuration.mesh().mesh();
        List<Integer> numbers = IntStream.range(0, mesh.ranks()).boxed().toList();
        var dryRun =
                new RankDryRun(configuration, strategies, strategies.compute().backend(), DryRun.Watch.NONE);
        List<AccountedLedger> ledgers = numbers.stream()
                .map(number -> new AccountedLedger(Long.MAX_VALUE))
                .toList();
        List<List<Pending>> begun =
                numbers.stream().<List<Pending>>map(number -> new ArrayList<>()).toList();
        var ranks = new ArrayList<Rank>();
        try (var team = new RankTeam(numbers);
                var opened = new Opened()) {
            numbers.forEach(number -> ranks.add(
                    opened.add(Rank.open(strategies.compute().backend(), 0, ledgers.get(number)), Rank::close)));
            team.each(number -> {
                var fabric = ranks.get(number).audited(strategies.parallel().fabric());
                ranks.get(number)
                        .join(new CountedFabric(fabric, ledgers.get(number), begun.get(number)::add), number, mesh);
                return null;
            });
            return team.each(
                    // Waits after each step, so that the copies and reductions of its collectives count for this step.
                    number -> dryRun.counts(ranks.get(number), ledgers.get(number), () -> {
                        begun.get(number).forEach(Pending::await);
                        begun.get(number).clear();
                    }),
                    (number, failure) -> ranks.get(number).world().abort(failure));
        }
    }
}
