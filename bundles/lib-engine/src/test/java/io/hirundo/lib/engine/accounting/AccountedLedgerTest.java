package io.hirundo.lib.engine.accounting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.MemoryCategory;
import org.junit.jupiter.api.Test;

class AccountedLedgerTest {
    @Test
    void recordsPeakOfEachCategoryAndOfTheTotal() {
        var ledger = new AccountedLedger(1000);
        ledger.reserve(MemoryCategory.WEIGHTS, 100);
        ledger.reserve(MemoryCategory.ACTIVATIONS, 300);
        ledger.release(MemoryCategory.ACTIVATIONS, 300);
        ledger.reserve(MemoryCategory.OPTIMIZER, 200);

        assertEquals(300, ledger.peakBytes().get(MemoryCategory.ACTIVATIONS));
        assertEquals(0, ledger.liveBytes().get(MemoryCategory.ACTIVATIONS));
        assertEquals(400, ledger.peakTotalBytes());
        assertEquals(300, ledger.bytesAtPeak().get(MemoryCategory.ACTIVATIONS));
        assertEquals(0, ledger.bytesAtPeak().get(MemoryCategory.OPTIMIZER));
    }

    @Test
    void rejectsReservationAboveBudgetWithoutCountingIt() {
        var ledger = new AccountedLedger(1000);
        ledger.reserve(MemoryCategory.WEIGHTS, 900);

        var failure = assertThrows(DeviceException.class, () -> ledger.reserve(MemoryCategory.ACTIVATIONS, 101));

        assertTrue(failure.getMessage().contains("WEIGHTS=900"), failure.getMessage());
        assertEquals(0, ledger.liveBytes().get(MemoryCategory.ACTIVATIONS));
        ledger.reserve(MemoryCategory.ACTIVATIONS, 100);
    }

    @Test
    void addsUpWorkByKernel() {
        var ledger = new AccountedLedger(0);
        ledger.work("gemm", 10, 1);
        ledger.work("gemm", 5, 2);
        assertEquals(new AccountedLedger.Work(2, 15, 3), ledger.work().get("gemm"));
        ledger.clearWork();
        assertTrue(ledger.work().isEmpty());
    }
}
