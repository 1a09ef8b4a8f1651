/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.probe;

import org.jspecify.annotations.NullMarked;
