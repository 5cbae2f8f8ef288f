/**
 * Contracts as tests. A test class implements a contract, provides what is under test, and gets one test per clause:
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
@Version("0.2.0")
package io.hirundo.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
