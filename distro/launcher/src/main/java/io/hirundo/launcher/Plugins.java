package io.hirundo.launcher;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.jar.JarFile;
import java.util.zip.ZipException;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.hooks.bundle.CollisionHook;
import org.osgi.framework.wiring.FrameworkWiring;

/** The jars in {@code plugins/}. Skips those that fail, with a line that gives the reason and the remedy. */
final class Plugins {
    private final BundleContext context;
    private final boolean allNeeded;
    private final Map<Path, Bundle> bundles = new LinkedHashMap<>();
    private final List<String> leftOut = new ArrayList<>();

    /** {@code allNeeded}: whether a skipped plugin is a failure. */
    Plugins(BundleContext context, boolean allNeeded) {
        this.context = context;
        this.allNeeded = allNeeded;
    }

    Collection<Bundle> bundles() {
        return bundles.values();
    }

    void install(List<Path> jars) {
        List<Bundle> sameNameAndVersion = new ArrayList<>();
        CollisionHook watching = (_, _, candidates) -> sameNameAndVersion.addAll(candidates);
        ServiceRegistration<CollisionHook> hook = context.registerService(CollisionHook.class, watching, null);
        try {
            for (Path jar : jars) {
                sameNameAndVersion.clear();
                install(jar, sameNameAndVersion);
            }
        } finally {
            hook.unregister();
        }
    }

    private void install(Path jar, List<Bundle> sameNameAndVersion) {
        // Opening a named pipe would block until somebody writes to it.
        if (!Files.isRegularFile(jar)) {
            leaveOut(jar, "is not a regular file: remove it, or copy the jar again");
            return;
        }
        String distrust = distrust(jar);
        if (distrust != null) {
            leaveOut(jar, "is not loaded: " + distrust);
            return;
        }
        try (var archive = new JarFile(jar.toFile(), false)) {
            if (!hasManifest(archive)) {
                leaveOut(jar, "has no readable " + JarFile.MANIFEST_NAME + ": build it as a bundle, or remove it");
                return;
            }
            Bundle bundle = context.installBundle(jar.toUri().toString());
            if (bundle.getSymbolicName() == null) {
                bundle.uninstall();
                leaveOut(
                        jar,
                        "is not an OSGi bundle, its manifest has no " + Constants.BUNDLE_SYMBOLICNAME
                                + ": build it as one, or remove it");
            } else {
                bundles.put(jar, bundle);
            }
        } catch (ZipException damaged) {
            leaveOut(jar, "is not a jar (" + damaged.getMessage() + "): remove it or copy it again");
        } catch (IOException unreadable) {
            leaveOut(jar, "cannot be read (" + Printed.reason(unreadable) + "): make it readable, or remove it");
        } catch (BundleException failure) {
            leaveOut(
                    jar,
                    sameNameAndVersion.isEmpty()
                            ? "cannot be installed (" + reason(failure) + "): rebuild it, or remove it"
                            : secondCopyOf(sameNameAndVersion.getFirst(), jar));
        }
    }

    /** Why a jar is not loaded: others could replace the code. Null if nobody else can. */
    static String distrust(Path jar) {
        try {
            return TrustedPath.distrust(jar, true)
                    .map(each -> distrust(jar, each))
                    .orElse(null);
        } catch (IOException e) {
            return "it cannot be checked (" + Printed.reason(e) + "): repair that, or remove it";
        }
    }

    private static String distrust(Path jar, TrustedPath.Distrust distrust) {
        Path place = distrust.place();
        String subject = place.getFileName() != null && place.getFileName().equals(jar.getFileName())
                ? place.toString()
                : "the folder " + place;
        return subject
                + (distrust.isWritable()
                        ? " is writable for other users, who could replace the code; chmod go-w " + place
                        : " belongs to the user " + distrust.owner()
                                + ", who could replace the code; chown it to your user, or copy the jar as your user");
    }

    /** The framework wraps header errors; only the parser's message names the problem. */
    private static String reason(BundleException failure) {
        return failure.getCause() instanceof IllegalArgumentException header
                ? header.getMessage()
                : Container.reason(failure);
    }

    private static boolean hasManifest(JarFile archive) {
        try {
            return archive.getManifest() != null;
        } catch (IOException damaged) {
            return false;
        }
    }

    private static String secondCopyOf(Bundle first, Path jar) {
        Path holder = Path.of(URI.create(first.getLocation()));
        boolean alsoDropped = jar.getParent().equals(holder.getParent());
        return "is a second copy of " + first.getSymbolicName() + " " + first.getVersion() + ", which "
                + (alsoDropped ? name(holder) + " holds: remove one" : "is one of Hirundo's own: remove it");
    }

    void leaveOutUnresolved(FrameworkWiring wiring) {
        leftOut.addAll(MissingRequirement.lines(bundles, wiring));
        bundles.values().removeIf(bundle -> bundle.getState() == Bundle.INSTALLED);
    }

    /** {@code starter}: starts bundles, and returns the reasons of those that fail. */
    void start(Function<Collection<Bundle>, Map<Bundle, String>> starter) throws LaunchException {
        Map<Bundle, String> unusable;
        try {
            unusable = starter.apply(bundles.values());
        } catch (IllegalArgumentException wrongSetting) {
            throw new LaunchException(wrongSetting.getMessage(), wrongSetting);
        }
        bundles.forEach((jar, bundle) -> {
            if (unusable.containsKey(bundle)) {
                leaveOut(jar, "cannot be used: " + unusable.get(bundle) + "; repair it, or remove it");
            }
        });
    }

    private void leaveOut(Path jar, String why) {
        // The name of the file and the framework's message, which may quote it, can contain line breaks, too.
        leftOut.add(Printed.text((name(jar) + " " + why).replace('\n', ' ')));
    }

    private static String name(Path jar) {
        // Show the jar's own name, not that of a link's target.
        return "plugins/" + jar.getFileName();
    }

    /**
     * Prints what was skipped since the last call.
     *
     * @throws LaunchException with these lines, if all plugins are needed
     */
    void printLeftOut() throws LaunchException {
        if (allNeeded && !leftOut.isEmpty()) {
            throw LaunchException.of(leftOut);
        }
        leftOut.forEach(line -> System.err.println("hirundo: " + line));
        leftOut.clear();
    }
}
