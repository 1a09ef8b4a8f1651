/** Tests of package {@code io.imexagent.e2e.demo}. */
@NullMarked
package io.imexagent.e2e.demo;

import org.jspecify.annotations.NullMarked;
