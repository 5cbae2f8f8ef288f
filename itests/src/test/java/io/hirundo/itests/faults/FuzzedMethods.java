package io.hirundo.itests.faults;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Program;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.osgi.framework.Bundle;

/**
 * Parsers of Hirundo whose text is no file that a quick command reads: they are called in their bundles. What they reject becomes the
 * line that a user would see.
 */
final class FuzzedMethods {
    /** Of what is rejected; which code a command makes of it is not tested here. */
    static final int REJECTED = 78;

    /** How these parsers reject; anything else that they throw is a finding. */
    private static final Set<String> REJECTIONS = Set.of(
            "MisunderstoodException", "CheckpointException", "ConfigurationException", "UnusablePluginException");

    private static final String DESCRIPTION =
            "<scr:component xmlns:scr='http://www.osgi.org/xmlns/scr/v1.3.0' name='acme'><property name='hirundo.kind' value='precision'/>"
                    + "<service><provide interface='acme.Service'/></service><implementation class='acme.Factory'/></scr:component>";

    private static final String LINE =
            "swap data indexed {blend: [{prefix: \"a b\", weight: 1}]}; set training.steps=5 'x;y'";

    private static final String CONTROL = "io.hirundo.control";
    private static final String COMMANDS = "io.hirundo.control.internal.command.";

    private final InProcess hirundo;
    private final Originals originals;

    FuzzedMethods(InProcess hirundo, Originals originals) {
        this.hirundo = hirundo;
        this.originals = originals;
    }

    /** What to begin with, and what is said of an input. */
    record Call(byte[] good, Run run) {}

    /** Calls a parser. */
    @FunctionalInterface
    interface Run {
        Program.Result apply(byte[] input) throws Exception;
    }

    /** By name. */
    Map<String, Call> calls() throws Exception {
        Path index = originals.run().resolve("copies/zoo/step-00000004.index");
        return Map.of(
                "prompt", new Call(LINE.getBytes(StandardCharsets.UTF_8), prompt()),
                "set", new Call("training.steps=5".getBytes(StandardCharsets.UTF_8), set()),
                "copy-index", new Call(Files.readAllBytes(index), copyIndex()),
                "component-xml", new Call(DESCRIPTION.getBytes(StandardCharsets.UTF_8), components()));
    }

    private Run prompt() throws ReflectiveOperationException {
        Method parse = hirundo.loadClass(CONTROL, COMMANDS + "PromptLine").getDeclaredMethod("parse", String.class);
        parse.setAccessible(true);
        return input -> said(() -> parse.invoke(null, new String(input, StandardCharsets.UTF_8)));
    }

    /** A line of the prompt, and what it is answered: exit code 2 for one that cannot be understood. No command in it may reach a run. */
    Run promptAnswers() throws ReflectiveOperationException {
        Class<?> control = hirundo.loadClass(CONTROL, "io.hirundo.train.RunControl");
        Object run = Proxy.newProxyInstance(control.getClassLoader(), new Class<?>[] {control}, (_, method, _) -> {
            if (method.getReturnType() == List.class) {
                return List.of();
            }
            throw new AssertionError("reaches the run: " + method.getName());
        });
        Object table = hirundo.loadClass(CONTROL, COMMANDS + "CommandTable")
                .getConstructor(control)
                .newInstance(run);
        Class<?> lines = hirundo.loadClass(CONTROL, COMMANDS + "CommandLines");
        Constructor<?> constructor = lines.getConstructor(table.getClass(), PrintStream.class);
        Method answer = lines.getMethod("run", String.class);
        return input -> {
            var said = new ByteArrayOutputStream();
            Object prompt = constructor.newInstance(table, new PrintStream(said, true, StandardCharsets.UTF_8));
            int exitCode = (int) answer.invoke(prompt, new String(input, StandardCharsets.UTF_8));
            return new Program.Result(exitCode, "", "hirundo: " + said.toString(StandardCharsets.UTF_8));
        };
    }

    private Run set() {
        String configuration = originals.configuration().resolve("run.json").toString();
        return input -> {
            // The kernel passes no NUL.
            String assignment = new String(input, StandardCharsets.UTF_8).replace("\u0000", "");
            return hirundo.run(InProcess.LIMIT, List.of("config", "show", configuration, "--set=" + assignment))
                    .orElseThrow();
        };
    }

    private Run copyIndex() throws ReflectiveOperationException {
        Method parse = hirundo.loadClass("io.hirundo.lib-store", "io.hirundo.lib.store.CopyIndex")
                .getMethod("parse", String.class, String.class);
        return input ->
                said(() -> parse.invoke(null, new String(input, StandardCharsets.UTF_8), "step-00000004.index"));
    }

    Run components() throws ReflectiveOperationException {
        Class<?> type = hirundo.loadClass("io.hirundo.lib-plugin", "io.hirundo.lib.plugin.ComponentDescriptions");
        Constructor<?> constructor = type.getDeclaredConstructor(Bundle.class);
        constructor.setAccessible(true);
        Method check = type.getDeclaredMethod("check");
        check.setAccessible(true);
        // The command line shortens what a plugin says of itself.
        Method shorten = hirundo.loadClass("io.hirundo.lib-input", "io.hirundo.lib.input.Excerpt")
                .getMethod("of", String.class);
        return input -> {
            Program.Result result = said(() -> check.invoke(constructor.newInstance(bundleWith(input))));
            return result.exitCode() == 0
                    ? result
                    : new Program.Result(
                            REJECTED,
                            "",
                            "hirundo: "
                                    + shorten.invoke(
                                            null,
                                            result.err()
                                                    .substring("hirundo: ".length())
                                                    .stripTrailing()));
        };
    }

    /** A bundle of one component description. */
    private static Bundle bundleWith(byte[] description) throws IOException {
        URL url = URL.of(URI.create("fuzz:///OSGI-INF/acme.xml"), new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
                return new URLConnection(url) {
                    @Override
                    public void connect() {}

                    @Override
                    public InputStream getInputStream() {
                        return new ByteArrayInputStream(description);
                    }
                };
            }
        });
        return (Bundle) Proxy.newProxyInstance(
                Bundle.class.getClassLoader(),
                new Class<?>[] {Bundle.class},
                (_, method, arguments) -> switch (method.getName()) {
                    case "getHeaders" -> new Hashtable<>(Map.of("Service-Component", "OSGI-INF/acme.xml"));
                    case "findEntries" -> Collections.enumeration(List.of(url));
                    case "loadClass" -> throw new ClassNotFoundException((String) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    /** Does something that may be rejected. */
    private interface Work {
        void run() throws ReflectiveOperationException, IOException;
    }

    private static Program.Result said(Work work) throws Exception {
        try {
            work.run();
            return new Program.Result(0, "", "");
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            if (!REJECTIONS.contains(thrown.getClass().getSimpleName())) {
                throw new AssertionError("neither read nor rejected", thrown);
            }
            return new Program.Result(REJECTED, "", "hirundo: " + thrown.getMessage() + "\n");
        }
    }
}
