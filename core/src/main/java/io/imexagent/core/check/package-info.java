/** What became of a check. */
@NullMarked
package io.imexagent.core.check;

import org.jspecify.annotations.NullMarked;
