/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.report;

import org.jspecify.annotations.NullMarked;
