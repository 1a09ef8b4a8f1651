/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.dra.command;

import org.jspecify.annotations.NullMarked;
