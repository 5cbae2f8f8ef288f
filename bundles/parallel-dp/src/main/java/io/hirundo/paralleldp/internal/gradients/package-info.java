/** What the strategies share in the reduction of gradients. */
package io.hirundo.paralleldp.internal.gradients;
