package io.hirundo.planner.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.accounting.AccountedLedger.Work;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ForecastTableTest {
    private static final Map<MemoryCategory, String> REMEDIES = Arrays.stream(MemoryCategory.values())
            .collect(Collectors.toMap(category -> category, category -> "less " + MemoryVerdict.name(category)));
    private static final RunForecast.Stages ONE_STAGE = new RunForecast.Stages(Mesh.ALONE, List.of("all"), REMEDIES);

    @Test
    void comparesCollectivesWithAndWithoutFp8() {
        Map<String, Work> inCodes = Map.of(
                "message.all-gather data", new Work(3, 0, 1_500_000), "message.all-reduce data", new Work(1, 0, 7000));
        Map<String, Work> asValues = Map.of("message.all-gather data", new Work(2, 0, 6_000_000));
        String text = table(inCodes, asValues);
        assertTrue(text.contains("MB without FP8"), text);
        assertTrue(text.matches("(?s).*all-gather data +3 +1\\.500 +6\\.000\n.*"), text);
        assertTrue(text.matches("(?s).*all-reduce data +1 +0\\.007 +0\\.000\n.*"), text);
        assertFalse(table(asValues, asValues).contains("without FP8"));
    }

    @Test
    void reportsSharedDeviceMemory() {
        String unknown = forecast(0, 10, UncountedMemory.NONE, rank(1));
        assertTrue(unknown.startsWith("needs 0.000 MB; compare with a device by --device-gb\n"), unknown);
        assertTrue(unknown.contains("\nWARNING: mesh.pipeline: odd\n"), unknown);
        String shared = forecast(20_000, 40_000, UncountedMemory.NONE, rank(50_000), rank(50_000));
        assertTrue(shared.contains("2 ranks share the 40,000 bytes of this machine, 20,000 each"), shared);
        String own = forecast(20_000, 20_000, UncountedMemory.NONE, rank(50_000), rank(40_000));
        assertTrue(own.startsWith("DOES NOT FIT: 0.050 of 0.020 MB on the fullest rank, rank 0\n"), own);
        assertFalse(own.contains("share"), own);
    }

    @Test
    void saysWhatEachCategoryHasAtThePeak() {
        var peaks = new EnumMap<MemoryCategory, Long>(MemoryCategory.class);
        Arrays.stream(MemoryCategory.values()).forEach(category -> peaks.put(category, 3000L));
        var atPeak = new EnumMap<>(peaks);
        atPeak.put(MemoryCategory.ACTIVATIONS, 2000L);
        String text =
                forecast(0, 0, UncountedMemory.NONE, new DryRun.OfRank(peaks, 17_000, atPeak, Map.of(), List.of()));
        assertTrue(text.matches("(?s).*\n +activations +3,000 +2,000\n.*\n +total +17,000\n.*"), text);
    }

    @Test
    void namesTheRemedyOfTheCategoryWithMostBytesAtTheTotalPeak() {
        var peaks = new EnumMap<MemoryCategory, Long>(MemoryCategory.class);
        Arrays.stream(MemoryCategory.values()).forEach(category -> peaks.put(category, 0L));
        var atPeak = new EnumMap<>(peaks);
        peaks.put(MemoryCategory.GRADIENTS, 900_000L);
        peaks.put(MemoryCategory.ACTIVATIONS, 800_000L);
        atPeak.put(MemoryCategory.GRADIENTS, 100_000L);
        atPeak.put(MemoryCategory.ACTIVATIONS, 800_000L);
        String text =
                forecast(0, 0, UncountedMemory.NONE, new DryRun.OfRank(peaks, 900_000, atPeak, Map.of(), List.of()));
        assertTrue(text.contains("\nAt the total peak most are activations, 0.800 MB: less activations\n"), text);
    }

    @Test
    void beginsWithTheVerdict() {
        var estimates = new UncountedMemory(1_000_000_000, 500_000_000, 1_700_000_000);
        var ranks = new DryRun.OfRank[] {rank(61_300_000_000L), rank(61_000_000_000L)};
        String fits = forecast(80_000_000_000L, 80_000_000_000L, estimates, ranks);
        assertTrue(fits.startsWith("fits: 61.3 of 80.0 GB on the fullest rank, rank 0; 16.0 GB left\n"), fits);
        var elsewhere = new DryRun.Counted(1, 1, 1, false, List.of(ranks));
        assertEquals(
                fits,
                ForecastTable.of(new RunForecast(
                                "run",
                                "device",
                                0,
                                0,
                                elsewhere,
                                elsewhere,
                                "",
                                estimates,
                                ONE_STAGE,
                                List.of("mesh.pipeline: odd"))
                        .onDevicesOf(80_000_000_000L)));
        assertTrue(
                unwrapped(fits)
                        .contains(
                                "estimates: driver context 1.0 GB, fragmentation 1.7 GB; with NCCL its buffers, too: 0.5 GB\n"),
                fits);
        assertTrue(fits.contains("\nAt the total peak most are activations, 61.3 GB: less activations\n"), fits);
        String tight = forecast(62_000_000_000L, 62_000_000_000L, estimates, ranks);
        assertTrue(
                unwrapped(tight)
                        .startsWith(
                                "MAY NOT FIT: 61.3 of 62.0 GB on the fullest rank, rank 0, and with the estimates below 64.0 GB\n"),
                tight);
    }

    @Test
    void namesTheFullestRankOfEachStage() {
        var mesh = new LinkedHashMap<Axis, Integer>();
        mesh.put(Axis.PIPELINE, 2);
        mesh.put(Axis.DATA, 2);
        var stages = new RunForecast.Stages(new Mesh(mesh), List.of("embed to 1", "2 to head"), REMEDIES);
        var counted = new DryRun.Counted(
                1, 1, 1, false, List.of(rank(1_000_000), rank(2_000_000), rank(3_000_000), rank(2_000_000)));
        String text = ForecastTable.of(
                new RunForecast("run", "device", 0, 0, counted, counted, "", UncountedMemory.NONE, stages, List.of()));
        assertTrue(text.startsWith("needs 3.000 MB on the fullest rank, rank 2, stage 0; "), text);
        assertTrue(text.matches("(?s).*\n +0 +2 +3\\.000  embed to 1\n +1 +1 +2\\.000  2 to head\n.*"), text);
        assertTrue(
                text.matches("(?s).*\n +0( +0\\.000){3} +3\\.000( +0\\.000){2}\n +1( +0\\.000){3} +2\\.000.*"), text);
    }

    /** Ranks of 99 GB in each category, several stages, FP8 transfers, and long lines of words. */
    @Test
    void fits80Columns() {
        var peaks = new EnumMap<MemoryCategory, Long>(MemoryCategory.class);
        Arrays.stream(MemoryCategory.values()).forEach(category -> peaks.put(category, 99_999_000_000L));
        Map<String, Work> work = Map.of(
                "message.reduce-scatter context+data", new Work(99_999_999, 0, 99_999_000_000L),
                "blockScaled.quantizeTransposed", new Work(99_999_999, 99_999_999_000_000L, 99_999_000_000L));
        String gemmSummary = "GEMMs in fp8: " + "model.layers.0-99.self_attn.qkv.weight, ".repeat(9) + "lm_head.weight";
        var rank = new DryRun.OfRank(peaks, 599_994_000_000L, peaks, work, List.of(gemmSummary));
        var mesh = new LinkedHashMap<Axis, Integer>();
        mesh.put(Axis.PIPELINE, 2);
        var stages =
                new RunForecast.Stages(new Mesh(mesh), List.of("embed to 1", "model.layers.2 to lm_head"), REMEDIES);
        var counted = new DryRun.Counted(405_853_388_800L, 16_777_216, 1e18, false, List.of(rank, rank));
        var asValues = new DryRun.Counted(1, 1, 1, false, List.of(rank(1), rank(1)));
        String text = ForecastTable.of(new RunForecast(
                "run",
                "device",
                80_000_000_000L,
                640_000_000_000L,
                counted,
                asValues,
                "mpi",
                new UncountedMemory(1_000_000_000, 500_000_000, 1_700_000_000),
                stages,
                List.of("mesh.pipeline: " + "a long warning ".repeat(20))));
        assertEquals(List.of(), text.lines().filter(line -> line.length() > 80).toList(), text);
        assertTrue(unwrapped(text).contains(gemmSummary), text);
    }

    /** With lines of words joined again. */
    private static String unwrapped(String text) {
        return text.replaceAll("\n  (?=[A-Za-z0-9])", " ");
    }

    private static String forecast(
            long deviceBytes, long machineBytes, UncountedMemory uncounted, DryRun.OfRank... ranks) {
        var counted = new DryRun.Counted(1, 1, 1, false, List.of(ranks));
        return ForecastTable.of(new RunForecast(
                "run",
                "device",
                deviceBytes,
                machineBytes,
                counted,
                counted,
                "",
                uncounted,
                ONE_STAGE,
                List.of("mesh.pipeline: odd")));
    }

    private static DryRun.OfRank rank(long peakTotalBytes) {
        var peaks = new EnumMap<MemoryCategory, Long>(MemoryCategory.class);
        Arrays.stream(MemoryCategory.values()).forEach(category -> peaks.put(category, 0L));
        peaks.put(MemoryCategory.ACTIVATIONS, peakTotalBytes);
        return new DryRun.OfRank(peaks, peakTotalBytes, peaks, Map.of(), List.of());
    }

    private static String table(Map<String, Work> work, Map<String, Work> asValues) {
        return ForecastTable.of(new RunForecast(
                "run",
                "device",
                0,
                0,
                counted(work),
                counted(asValues),
                "",
                UncountedMemory.NONE,
                ONE_STAGE,
                List.of()));
    }

    private static DryRun.Counted counted(Map<String, Work> work) {
        Map<MemoryCategory, Long> peaks =
                Arrays.stream(MemoryCategory.values()).collect(Collectors.toMap(each -> each, each -> 1L));
        return new DryRun.Counted(
                1, 1, 1, !work.isEmpty(), List.of(new DryRun.OfRank(peaks, 1, peaks, work, List.of())));
    }
}
