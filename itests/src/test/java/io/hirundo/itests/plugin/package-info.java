/** Contents of third-party jars. Test code puts these classes into jars; nothing here runs in the test's own process. */
package io.hirundo.itests.plugin;
