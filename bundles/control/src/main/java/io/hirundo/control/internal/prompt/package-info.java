/** {@code hirundo train --shell}: a prompt in the terminal of the training itself. */
package io.hirundo.control.internal.prompt;
