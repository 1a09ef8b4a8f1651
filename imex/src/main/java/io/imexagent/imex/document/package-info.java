/** Inventory and nvidia-imex, for people and for machines. */
@NullMarked
package io.imexagent.imex.document;

import org.jspecify.annotations.NullMarked;
