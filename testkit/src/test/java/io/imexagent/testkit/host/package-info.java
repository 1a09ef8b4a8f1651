/** Tests of package {@code io.imexagent.testkit.host}. */
@NullMarked
package io.imexagent.testkit.host;

import org.jspecify.annotations.NullMarked;
