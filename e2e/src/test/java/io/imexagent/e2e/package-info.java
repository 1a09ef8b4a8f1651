/** Tests of package {@code io.imexagent.e2e}. */
@NullMarked
package io.imexagent.e2e;

import org.jspecify.annotations.NullMarked;
