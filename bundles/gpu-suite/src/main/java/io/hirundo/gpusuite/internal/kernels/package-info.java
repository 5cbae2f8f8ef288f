/** Every kernel family compared with the reference, case by case. */
package io.hirundo.gpusuite.internal.kernels;
