package io.hirundo.itests.faults;

import static io.hirundo.itests.damage.FileFaults.content;
import static io.hirundo.itests.damage.JsonFaults.LONG_NAME;

import io.hirundo.itests.damage.FileFaults;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Texts that no command reads from a file: lines of the prompt; component descriptions, without a process for each. */
final class ParserFaults {
    private static final int USAGE = 2;
    private static final int MEBIBYTE = 1 << 20;

    /** A line at the prompt may have 65,536 bytes: just below. */
    private static final int LONG = 60_000;

    private ParserFaults() {}

    static void add(Zoo zoo, Originals originals, FuzzedMethods methods) throws Exception {
        var prompt = zoo.parser("prompt line", originals.configuration(), USAGE, methods.promptAnswers());
        prompts().forEach((fault, line) -> prompt.add(fault, content(line)));
        prompt.add("not UTF-8", content(new byte[] {(byte) 0xff, (byte) 0xc0, ' ', 's'}))
                .add("random bytes", FileFaults.foreign().get("random bytes"));
        var component = zoo.parser(
                "component description", originals.configuration(), FuzzedMethods.REJECTED, methods.components());
        components().forEach((fault, text) -> component.add(fault, content(text)));
        component.addAll(FileFaults.foreign());
        byte[] good = component("acme.Factory").getBytes(StandardCharsets.UTF_8);
        for (int percent : new int[] {10, 50, 90, 99}) {
            component.add("first " + percent + " %", content(Arrays.copyOf(good, good.length * percent / 100)));
        }
        component.add("a byte short", content(Arrays.copyOf(good, good.length - 1)));
        component.add(
                "UTF-16 that says UTF-8",
                content(("<?xml version='1.0' encoding='UTF-8'?>" + component("a"))
                        .getBytes(StandardCharsets.UTF_16LE)));
        component.add("not UTF-8", content(new byte[] {'<', 'a', '>', (byte) 0xff, '<', '/', 'a', '>'}));
    }

    private static Map<String, String> prompts() {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("single quote open", "set run.name='a b");
        lines.put("double quote open", "set run.name=\"a b");
        lines.put("quote open after an escape", "set run.name=\"a \\\"");
        lines.put("quote open inside brackets", "swap data indexed {prefix: \"a}");
        lines.put("bracket open", "swap data indexed {blend: [1, 2]");
        lines.put("bracket closed twice", "set a=[1]]");
        lines.put("brackets that do not match", "set a=[1}");
        for (int depth : new int[] {33, 1_000, LONG / 2}) {
            lines.put("brackets " + depth + " deep", "set a=" + "[".repeat(depth) + "]".repeat(depth));
            lines.put("quoted brackets " + depth + " deep", "set 'a=" + "[".repeat(depth) + "]".repeat(depth) + "'");
        }
        lines.put("braces " + LONG + " deep, open", "set a=" + "{".repeat(LONG));
        for (String part : new String[] {"a", " a", "a;", "[", "'", "\"\\", "#", "\u0000", "\u20ac"}) {
            lines.put(
                    "1 MiB of " + part.replace("\u0000", "NUL"),
                    part.repeat(MEBIBYTE / part.getBytes(StandardCharsets.UTF_8).length));
        }
        lines.put("terminal escape", "\u001b[31mred\u001b[0m");
        lines.put("terminal escape in a command's words", "stop \u001b]0;title\u0007");
        lines.put("NUL", "\u0000");
        lines.put("carriage return", "status\rstop now");
        lines.put("backspaces", "stop\b\b\b\bstatus\b\b now");
        lines.put("text direction marks", "\u202estop\u202c");
        lines.put("unknown command", "launch");
        lines.put("unknown command of 5,000 characters", LONG_NAME);
        lines.put("unknown command of a million backslashes in quotes", "'" + "\\".repeat(LONG) + "'");
        lines.put("question mark", "?");
        lines.put("question mark after a command", "swap ?");
        lines.put("empty word", "''");
        lines.put("capital letters", "STATUS");
        lines.put("another language's name", "hirundo:status");
        lines.put("assignment without set", "training.steps=5");
        lines.put("assignment with blanks", "training.steps = 5");
        lines.put("set of nothing", "set");
        lines.put("set without a value", "set precision");
        lines.put("swap without a name", "swap precision");
        lines.put("swap of too much", "swap precision bf16 {a: 1} more");
        lines.put("swap whose options are no object", "swap schedule interleaved 2");
        lines.put("words after a command that takes none", "stop now");
        lines.put("checkpoint of another time", "checkpoint later");
        for (String sign : new String[] {
            "status | cat",
            "status > file",
            "status &",
            "status < file",
            "a = $(status)",
            "`status`",
            "status\\",
            "$.context"
        }) {
            lines.put("shell: " + sign, sign);
        }
        return lines;
    }

    private static Map<String, String> components() {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("class that is not there", component("acme.Absent"));
        texts.put("class of 5,000 characters", component(LONG_NAME));
        texts.put("no class", component(""));
        texts.put("no implementation", "<scr:component xmlns:scr='http://www.osgi.org/xmlns/scr/v1.3.0' name='acme'/>");
        texts.put("no component", "<a/>");
        for (int depth : new int[] {1_000, 100_000}) {
            texts.put("elements " + depth + " deep", "<a>".repeat(depth) + "</a>".repeat(depth));
            texts.put("elements " + depth + " deep, open", "<a>".repeat(depth));
        }
        texts.put(
                "elements inside the component 1,000 deep",
                component("acme.Absent")
                        .replace("<implementation", "<a>".repeat(1_000) + "</a>".repeat(1_000) + "<implementation"));
        texts.put("document type", "<!DOCTYPE a>" + component("acme.Absent"));
        texts.put("entity of a file", "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>" + component("&x;"));
        texts.put("entities that multiply", multiplying());
        texts.put(
                "parameter entity of an address",
                "<!DOCTYPE a [<!ENTITY % x SYSTEM \"http://localhost:1/x\"> %x;]>" + component("a"));
        texts.put("entity that is not declared", component("&unheard;"));
        texts.put("prefix that is not declared", "<none:component/>");
        texts.put(
                "attribute twice",
                "<scr:component xmlns:scr='http://www.osgi.org/xmlns/scr/v1.3.0' name='a' name='b'/>");
        texts.put("attribute of 1 MiB", component("a".repeat(MEBIBYTE)));
        texts.put("control characters", component("a&#10;b&#9;c") + "<!-- \u001b[31m -->");
        texts.put("text after the end", component("acme.Absent") + "more");
        texts.put("encoding that is unknown", "<?xml version='1.0' encoding='unheard-of'?>" + component("acme.Absent"));
        return texts;
    }

    private static String multiplying() {
        var entities = new StringBuilder("<!DOCTYPE a [<!ENTITY x0 \"aaaaaaaaaa\">");
        for (int level = 1; level < 20; level++) {
            entities.append("<!ENTITY x")
                    .append(level)
                    .append(" \"")
                    .append(("&x" + (level - 1) + ";").repeat(10))
                    .append("\">");
        }
        return entities.append("]>").append(component("&x19;")).toString();
    }

    private static String component(String implementation) {
        return "<scr:component xmlns:scr='http://www.osgi.org/xmlns/scr/v1.3.0' name='acme'><implementation class='"
                + implementation + "'/></scr:component>";
    }
}
