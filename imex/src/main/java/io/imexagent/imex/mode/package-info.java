/** Under which mode claims were prepared, and what a change of it must not break. */
@NullMarked
package io.imexagent.imex.mode;

import org.jspecify.annotations.NullMarked;
