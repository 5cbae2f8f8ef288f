/** Private to the bundle model-qwen. */
package io.hirundo.modelqwen.internal;
