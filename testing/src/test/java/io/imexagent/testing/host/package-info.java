/** Tests of package {@code io.imexagent.testing.host}. */
@NullMarked
package io.imexagent.testing.host;

import org.jspecify.annotations.NullMarked;
