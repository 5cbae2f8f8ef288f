/**
 * Contracts as tests. A test class says what it offers and gets one test for every clause of its contract:
 *
 * <pre>{@code
 * @HirundoContract
 * class MyPrecisionTest implements PrecisionContract {
 *   public PrecisionStrategy strategy() {
 *     return new MyPrecision();
 *   }
 * }
 * }</pre>
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
