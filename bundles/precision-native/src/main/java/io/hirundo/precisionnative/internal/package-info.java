/** Private to the bundle precision-native. */
package io.hirundo.precisionnative.internal;
