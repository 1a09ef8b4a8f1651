/** What the node publishes of its channels, and the label of its clique. */
@NullMarked
package io.imexagent.imex.publish;

import org.jspecify.annotations.NullMarked;
