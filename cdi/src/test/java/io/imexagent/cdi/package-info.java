/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.cdi;

import org.jspecify.annotations.NullMarked;
