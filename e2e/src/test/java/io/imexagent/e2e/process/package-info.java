/** Tests of package {@code io.imexagent.e2e.process}. */
@NullMarked
package io.imexagent.e2e.process;

import org.jspecify.annotations.NullMarked;
