/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.provision;

import org.jspecify.annotations.NullMarked;
