/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.dra.worker;

import org.jspecify.annotations.NullMarked;
