/** What a run does with audit findings between two steps: it logs them, and continues, pauses or rolls back. */
package io.hirundo.trainer.internal.audit.reaction;
