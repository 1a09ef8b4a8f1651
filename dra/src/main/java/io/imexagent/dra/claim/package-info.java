/** A claim's way on the node: read, plan, effects, answer. */
@NullMarked
package io.imexagent.dra.claim;

import org.jspecify.annotations.NullMarked;
