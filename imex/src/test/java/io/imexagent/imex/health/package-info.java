/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.health;

import org.jspecify.annotations.NullMarked;
