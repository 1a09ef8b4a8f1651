/** Tests of package {@code io.imexagent.e2e.fabric}. */
@NullMarked
package io.imexagent.e2e.fabric;

import org.jspecify.annotations.NullMarked;
