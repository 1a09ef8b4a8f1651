/** Tests of package {@code io.imexagent.e2e.bench}. */
@NullMarked
package io.imexagent.e2e.bench;

import org.jspecify.annotations.NullMarked;
