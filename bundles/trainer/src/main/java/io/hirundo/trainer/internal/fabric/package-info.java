/** Fabrics whose collectives somebody looks at when they begin: to count them, or to audit them. */
package io.hirundo.trainer.internal.fabric;
