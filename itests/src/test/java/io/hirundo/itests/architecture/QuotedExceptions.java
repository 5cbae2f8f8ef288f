package io.hirundo.itests.architecture;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds, in compiled classes, where a text quotes an exception whose words are not Hirundo's. */
final class QuotedExceptions {
    private static final Pattern THROWABLE = Pattern.compile("[\\w/$]*(?:Exception|Error|Throwable|Fault)");
    private static final String OWN = "io/hirundo/";

    private QuotedExceptions() {}

    /** {@code class: what it does} for each class below a folder. */
    static Set<String> in(Path folder) throws IOException {
        var found = new TreeSet<String>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".class")).toList()) {
                read(ClassFile.of().parse(file), found);
            }
        }
        return found;
    }

    private static void read(ClassModel type, Set<String> found) {
        String name = type.thisClass().asInternalName().replace('/', '.').replaceFirst("\\$.*", "");
        for (MethodModel method : type.methods()) {
            method.code().ifPresent(code -> {
                String created = "";
                for (CodeElement element : code) {
                    if (element instanceof NewObjectInstruction creation) {
                        created = creation.className().asInternalName();
                    }
                    String use = use(element);
                    // javac writes such a quote for each record pattern.
                    if (use != null && !created.equals("java/lang/MatchException")) {
                        found.add(name + ": " + use);
                    }
                }
            });
        }
    }

    private static String use(CodeElement element) {
        return switch (element) {
            case InvokeInstruction call ->
                use(call.owner().asInternalName(), call.name().stringValue());
            case InvokeDynamicInstruction text
            when text.name().stringValue().startsWith("makeConcat") ->
                text.typeSymbol().parameterList().stream()
                        .map(each -> each.descriptorString().replaceAll("^L|;$", ""))
                        .filter(each -> THROWABLE.matcher(each).matches())
                        .map(each -> "text + " + each)
                        .findFirst()
                        .orElse(null);
            default -> null;
        };
    }

    private static String use(String owner, String method) {
        boolean isQuote = method.equals("toString")
                || !owner.startsWith(OWN) && (method.equals("getMessage") || method.equals("getLocalizedMessage"));
        return isQuote && THROWABLE.matcher(owner).matches() ? owner + "." + method : null;
    }
}
