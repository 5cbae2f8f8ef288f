/** What all strategies have in common: parameters in buffers that ranks divide, their owned runs, and the forms of their weights. */
package io.hirundo.paralleldp.internal.buffer;
