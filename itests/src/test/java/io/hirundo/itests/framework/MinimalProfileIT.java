package io.hirundo.itests.framework;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.hirundo.itests.program.Profiles;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import javax.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;

/** All bundles of the smallest profile start. */
@ExtendWith(PaxExamExtension.class)
public class MinimalProfileIT {
    @Inject
    private BundleContext context;

    @Configuration
    public Option[] configuration() {
        return Profiles.options("minimal");
    }

    @Test
    public void testsRunInsideTheFramework() {
        assertNotNull(FrameworkUtil.getBundle(MinimalProfileIT.class));
    }

    @Test
    public void allBundlesAreActive() {
        List<String> names =
                Arrays.stream(context.getBundles()).map(Bundle::getSymbolicName).toList();
        assertFalse(names.stream().noneMatch("io.hirundo.trainer"::equals), names::toString);
        for (Bundle bundle : context.getBundles()) {
            assertEquals(Bundle.ACTIVE, bundle.getState(), bundle.toString());
        }
    }

    @Test
    public void theCommandLineIsThere() throws InvalidSyntaxException {
        assertEquals(
                1,
                context.getServiceReferences(ToIntFunction.class, "(hirundo.main=true)")
                        .size());
    }
}
