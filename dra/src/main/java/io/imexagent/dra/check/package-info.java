/** What there is to say of a driver's record of claims before it serves. */
@NullMarked
package io.imexagent.dra.check;

import org.jspecify.annotations.NullMarked;
