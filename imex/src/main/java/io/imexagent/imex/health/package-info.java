/** From what was read of nvidia-imex to one verdict, as a pure rule. */
@NullMarked
package io.imexagent.imex.health;

import org.jspecify.annotations.NullMarked;
