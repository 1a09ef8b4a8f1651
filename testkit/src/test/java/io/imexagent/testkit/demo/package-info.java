/** Tests of package {@code io.imexagent.testkit.demo}. */
@NullMarked
package io.imexagent.testkit.demo;

import org.jspecify.annotations.NullMarked;
