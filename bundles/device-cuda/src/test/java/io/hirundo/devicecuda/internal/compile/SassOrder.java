package io.hirundo.devicecuda.internal.compile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a kernel for warpgroups does in the order of its machine code, by NVIDIA's nvdisasm. Events are {@code gemm N} (N wgmma
 * instructions without another event between), {@code wait N} (until N groups of them are pending), {@code power N} (exponentials),
 * {@code call N} (of routines).
 *
 * @param name the kernel's
 */
record SassOrder(String name, List<String> events) {
    private static final Pattern SECTION = Pattern.compile("\\.text\\.(\\w+):");
    private static final Pattern INSTRUCTION =
            Pattern.compile("/\\*[0-9a-f]{4,}\\*/\\s+(?:@!?U?P\\w+\\s+)?([A-Z0-9]+)([^;]*);");
    private static final Pattern WAIT = Pattern.compile("gsb0, 0x([0-9a-f]+)");

    /** Reads nvdisasm's text: kernels that use warpgroup GEMMs, by name. */
    static List<SassOrder> parse(String text) {
        Map<String, List<String>> kernels = new TreeMap<>();
        List<String> events = new ArrayList<>();
        for (String line : text.lines().toList()) {
            Matcher section = SECTION.matcher(line.strip());
            Matcher instruction = INSTRUCTION.matcher(line);
            if (section.matches()) {
                events = kernels.computeIfAbsent(section.group(1), _ -> new ArrayList<>());
            } else if (instruction.find()) {
                add(events, instruction.group(1), instruction.group(2));
            }
        }
        return kernels.entrySet().stream()
                .map(kernel -> new SassOrder(kernel.getKey(), counted(kernel.getValue())))
                .filter(kernel -> kernel.events.stream().anyMatch(event -> event.startsWith("gemm")))
                .toList();
    }

    private static void add(List<String> events, String name, String rest) {
        Matcher wait = WAIT.matcher(rest);
        if (name.endsWith("GMMA")) {
            events.add("gemm");
        } else if (name.equals("WARPGROUP") && rest.startsWith(".DEPBAR") && wait.find()) {
            events.add("wait " + Integer.parseInt(wait.group(1), 16));
        } else if (name.equals("MUFU") && rest.startsWith(".EX2")) {
            events.add("power");
        } else if (name.equals("CALL")) {
            events.add("call");
        }
    }

    /** Equal events side by side become one with their number. */
    private static List<String> counted(List<String> events) {
        var counted = new ArrayList<String>();
        for (int i = 0, end; i < events.size(); i = end) {
            end = i + 1;
            while (end < events.size()
                    && events.get(end).equals(events.get(i))
                    && !events.get(i).startsWith("wait")) {
                end++;
            }
            counted.add(events.get(i).startsWith("wait") ? events.get(i) : events.get(i) + " " + (end - i));
        }
        return counted;
    }

    /** Whether between a wait that leaves one group of GEMMs pending and the wait for that group there are so many exponentials. */
    boolean makesPowersBetweenWaits(int count) {
        for (int i = 0; i + 2 < events.size(); i++) {
            String[] middle = events.get(i + 1).split(" ");
            if (events.get(i).equals("wait 1")
                    && middle[0].equals("power")
                    && Integer.parseInt(middle[1]) >= count
                    && events.get(i + 2).equals("wait 0")) {
                return true;
            }
        }
        return false;
    }
}
