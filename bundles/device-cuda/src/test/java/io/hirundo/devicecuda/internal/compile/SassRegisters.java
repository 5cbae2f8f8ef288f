package io.hirundo.devicecuda.internal.compile;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which registers the machine code can reach after it has given some back ({@code setmaxnreg.dec}), until it takes registers again or
 * ends. Hardware does not check this: a thread that uses a register that it gave back corrupts another one.
 *
 * @param kernel the kernel's name
 * @param kept registers that each thread keeps
 * @param used registers that the code reaches: one more than the largest number
 * @param calls whether it can reach a routine, whose registers are not counted
 */
record SassRegisters(String kernel, int kept, int used, boolean calls) {
    private static final Pattern SECTION = Pattern.compile("\\.text\\.(\\w+):");
    private static final Pattern LABEL = Pattern.compile("(\\.L_x_\\d+):");
    private static final Pattern INSTRUCTION = Pattern.compile("/\\*[0-9a-f]{4,}\\*/\\s+(@!?U?P\\w+\\s+)?(.*?)\\s*;");
    private static final Pattern GIVE_BACK = Pattern.compile("USETMAXREG\\.DEALLOC\\S*\\s+0x([0-9a-f]+)");
    private static final Pattern REGISTER = Pattern.compile("(?<![A-Z])R(\\d+)");
    private static final Pattern TARGET = Pattern.compile("\\((\\.L_x_\\d+)\\)");

    private record Code(List<String> instructions, List<Boolean> conditional, Map<String, Integer> labels) {
        Code() {
            this(new ArrayList<>(), new ArrayList<>(), new HashMap<>());
        }
    }

    /** Reads nvdisasm's text: a result for each place where registers are given back. */
    static List<SassRegisters> parse(String text) {
        var found = new ArrayList<SassRegisters>();
        var code = new Code();
        String kernel = "";
        for (String line : text.lines().toList()) {
            Matcher section = SECTION.matcher(line.strip());
            Matcher label = LABEL.matcher(line.strip());
            Matcher instruction = INSTRUCTION.matcher(line);
            if (section.matches()) {
                found.addAll(of(kernel, code));
                kernel = section.group(1);
                code = new Code();
            } else if (label.matches()) {
                code.labels.put(label.group(1), code.instructions.size());
            } else if (instruction.find()) {
                code.instructions.add(instruction.group(2));
                code.conditional.add(instruction.group(1) != null);
            }
        }
        found.addAll(of(kernel, code));
        return found;
    }

    private static List<SassRegisters> of(String kernel, Code code) {
        var found = new ArrayList<SassRegisters>();
        for (int i = 0; i < code.instructions.size(); i++) {
            Matcher giveBack = GIVE_BACK.matcher(code.instructions.get(i));
            if (giveBack.find()) {
                found.add(reachable(kernel, Integer.parseInt(giveBack.group(1), 16), code, i + 1));
            }
        }
        return found;
    }

    private static SassRegisters reachable(String kernel, int kept, Code code, int begin) {
        int used = 0;
        boolean calls = false;
        var seen = new BitSet();
        var open = new ArrayDeque<Integer>(List.of(begin));
        while (!open.isEmpty()) {
            int at = open.pop();
            boolean continues = at < code.instructions.size() && !seen.get(at);
            if (!continues) {
                continue;
            }
            seen.set(at);
            String instruction = code.instructions.get(at);
            if (instruction.startsWith("USETMAXREG")) {
                continue;
            }
            int width = instruction.contains(".128") ? 4 : instruction.matches(".*(\\.64|WIDE).*") ? 2 : 1;
            for (Matcher register = REGISTER.matcher(instruction); register.find(); ) {
                used = Math.max(used, Integer.parseInt(register.group(1)) + 1);
            }
            // The first operand of wide instructions is the first of several registers.
            Matcher first = REGISTER.matcher(instruction);
            used = width > 1 && first.find() ? Math.max(used, Integer.parseInt(first.group(1)) + width) : used;
            calls |= instruction.startsWith("CALL");
            boolean jumps = instruction.startsWith("BRA");
            Matcher target = TARGET.matcher(instruction);
            if (jumps && target.find()) {
                open.push(code.labels.get(target.group(1)));
            }
            // A branch may have a predicate among its operands, too.
            boolean always = !code.conditional.get(at) && !instruction.matches(".*[ !]U?P\\d.*");
            if (!((jumps || instruction.startsWith("EXIT")) && always)) {
                open.push(at + 1);
            }
        }
        return new SassRegisters(kernel, kept, used, calls);
    }
}
