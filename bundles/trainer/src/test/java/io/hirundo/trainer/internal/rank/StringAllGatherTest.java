package io.hirundo.trainer.internal.rank;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.accounting.CountedFabric;
import io.hirundo.lib.engine.rank.LocalRanks;
import io.hirundo.lib.engine.rank.StringAllGather;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.trainer.internal.fixture.TestParallel;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StringAllGatherTest {
    private static final int SIZE = 3;

    private final LocalRanks ranks = new LocalRanks(
            new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)),
            TestParallel.fabric(),
            new Mesh(new LinkedHashMap<>(Map.of(Axis.DATA, SIZE))));

    @AfterEach
    void close() {
        ranks.close();
    }

    /** All lengths modulo four, and characters of one to four bytes. */
    @Test
    void gathersTheTextsOfAllRanks() {
        for (List<String> said : List.of(
                List.of("", "line\nand line", "x"),
                List.of("größer als 7 °C", "", "a𝄞b"),
                List.of("12345", "1234567", "12345678"),
                List.of("", "", ""))) {
            List<List<String>> heard = ranks.each(index -> StringAllGather.exchange(ranks.get(index), said.get(index)));
            assertEquals(Collections.nCopies(SIZE, said), heard);
        }
    }

    /** Each rank sends a length of four bytes, then the bytes of the longest text, rounded up to a multiple of four. */
    @Test
    void sendsOneBytePerByteOfText() {
        String longest = "ü".repeat(500) + "!";
        ranks.ledger(0).clearWork();
        ranks.each(index -> StringAllGather.exchange(ranks.get(index), index == 1 ? longest : "short"));
        long sent = CountedFabric.collectives(ranks.ledger(0).work()).values().stream()
                .mapToLong(AccountedLedger.Work::movedBytes)
                .sum();
        assertEquals(1001, longest.getBytes(StandardCharsets.UTF_8).length);
        assertEquals(SIZE * 4 + SIZE * 1004, sent);
    }
}
