/** On which hosts nvidia-imex may start. */
@NullMarked
package io.imexagent.imex.gate;

import org.jspecify.annotations.NullMarked;
