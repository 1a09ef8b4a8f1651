/** What must be so on the host before channels can be handed out. */
@NullMarked
package io.imexagent.imex.check;

import org.jspecify.annotations.NullMarked;
