/** Private to the bundle checkpoint-torch. */
package io.hirundo.checkpointtorch.internal;
