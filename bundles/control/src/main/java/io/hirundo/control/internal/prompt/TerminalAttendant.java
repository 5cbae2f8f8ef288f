package io.hirundo.control.internal.prompt;

import io.hirundo.train.RunAttendant;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.startlevel.FrameworkStartLevel;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Starts what only a running training needs: the prompt, and the bundles of the start level in the framework property
 * {@code hirundo.startlevel.training}. Without that property these bundles always run.
 */
@Component(service = {RunAttendant.class, TerminalAttendant.class})
public final class TerminalAttendant implements RunAttendant {
    private static final String TRAINING_LEVEL = "hirundo.startlevel.training";

    private final ComponentContext component;
    private final BundleContext context;

    /** Null without a prompt. */
    private Screens screens;

    @Activate
    public TerminalAttendant(ComponentContext component, BundleContext context) {
        this.component = component;
        this.context = context;
    }

    @Override
    public Attendance attend(boolean prompt) {
        if (prompt) {
            screens = new Screens();
            component.enableComponent(Prompt.NAME);
        }
        int before = startLevel().getStartLevel();
        int training = trainingLevel(before);
        if (training > before) {
            startLevel().setStartLevel(training);
        }
        return () -> end(prompt, before, training);
    }

    private void end(boolean prompt, int before, int training) {
        if (prompt) {
            component.disableComponent(Prompt.NAME);
            screens.close();
        }
        if (training > before) {
            startLevel().setStartLevel(before);
        }
    }

    private int trainingLevel(int otherwise) {
        String level = context.getProperty(TRAINING_LEVEL);
        return level == null ? otherwise : Integer.parseInt(level);
    }

    private FrameworkStartLevel startLevel() {
        return context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).adapt(FrameworkStartLevel.class);
    }

    Screens screens() {
        return screens;
    }
}
