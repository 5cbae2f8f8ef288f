package io.hirundo.lib.run.change;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A setting that may change between two steps of a run; on a section: each of its settings that does not say more. A setting
 * without it is fixed when the run starts, and so is the bundle of its strategy until the run ends.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Changeable {
    /** What a change replaces. */
    RunPart value() default RunPart.NONE;
}
