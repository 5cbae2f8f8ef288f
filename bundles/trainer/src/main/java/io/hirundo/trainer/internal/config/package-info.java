/** The configuration of a run as one object, how it is bound and checked, and how two differ. */
package io.hirundo.trainer.internal.config;
