/** The sections of a configuration: records that state settings, their defaults and bounds, from which the JSON schema and the reference are made. */
package io.hirundo.trainer.internal.config.section;
