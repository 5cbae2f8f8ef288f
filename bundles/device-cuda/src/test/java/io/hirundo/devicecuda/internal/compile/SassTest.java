package io.hirundo.devicecuda.internal.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link SassOrder} and {@link SassRegisters} read nvdisasm's text; needs neither nvcc nor nvdisasm. */
class SassTest {
    private static String kernel(String... instructions) {
        var text = new StringBuilder("        .section .text.forward_128\n.text.forward_128:\n");
        for (String instruction : instructions) {
            text.append("        /*0a10*/                   ")
                    .append(instruction)
                    .append(" ;\n");
        }
        return text.toString();
    }

    @Test
    void countsEventsSideBySide() {
        String text = kernel(
                "HGMMA.64x128x16.F32.BF16 R24, gdesc[UR8], RZ, !UPT",
                "HGMMA.64x128x16.F32.BF16 R24, gdesc[UR8], R24",
                "WARPGROUP.DEPBAR.LE gsb0, 0x1",
                "FMUL R0, R1, R2",
                "@!P0 MUFU.EX2 R3, R4",
                "MUFU.RCP R3, R4",
                "WARPGROUP.DEPBAR.LE gsb0, 0x0",
                "CALL.REL.NOINC `($forward$)");
        SassOrder found = SassOrder.parse(text).getFirst();
        assertEquals("forward_128", found.name());
        assertEquals(List.of("gemm 2", "wait 1", "power 1", "wait 0", "call 1"), found.events());
        assertTrue(found.makesPowersBetweenWaits(1));
        assertFalse(found.makesPowersBetweenWaits(2));
    }

    @Test
    void findsAHoistedWait() {
        String text = kernel(
                "QGMMA.64x128x32.F32 R24, gdesc[UR8], R24",
                "WARPGROUP.DEPBAR.LE gsb0, 0x1",
                "WARPGROUP.DEPBAR.LE gsb0, 0x0",
                "MUFU.EX2 R3, R4");
        assertFalse(SassOrder.parse(text).getFirst().makesPowersBetweenWaits(1));
    }

    @Test
    void leavesOutKernelsWithoutWarpgroupGemms() {
        assertEquals(List.of(), SassOrder.parse(kernel("MUFU.EX2 R3, R4")));
    }

    private static SassRegisters registers(String... instructions) {
        return SassRegisters.parse(kernel(instructions)).getFirst();
    }

    @Test
    void followsBranchesUntilRegistersAreTakenAgain() {
        String text = kernel(
                        "USETMAXREG.DEALLOC.CTAPOOL 0x28",
                        "@P0 BRA `(.L_x_7)",
                        "IMAD.MOV.U32 R39, RZ, RZ, UR77",
                        "EXIT",
                        "MOV R99, RZ")
                + ".L_x_7:\n"
                + "        /*0b00*/                   LDS.64 R36, [R2] ;\n"
                + "        /*0b10*/                   USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xa8 ;\n"
                + "        /*0b20*/                   MOV R98, RZ ;\n";
        assertEquals(List.of(new SassRegisters("forward_128", 40, 40, false)), SassRegisters.parse(text));
    }

    @Test
    void findsRegistersThatWereGivenBack() {
        assertEquals(
                41,
                registers("USETMAXREG.DEALLOC.CTAPOOL 0x28", "@!P1 MOV R40, R3", "EXIT")
                        .used());
        // The fourth register of 16 bytes.
        assertEquals(
                42,
                registers("USETMAXREG.DEALLOC.CTAPOOL 0x28", "LDS.128 R38, [R3]", "EXIT")
                        .used());
        assertTrue(registers("USETMAXREG.DEALLOC.CTAPOOL 0x28", "CALL.REL.NOINC `($division$)", "EXIT")
                .calls());
    }
}
