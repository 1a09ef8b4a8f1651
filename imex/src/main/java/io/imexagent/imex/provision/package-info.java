/** On which hosts nvidia-imex is installed. */
@NullMarked
package io.imexagent.imex.provision;

import org.jspecify.annotations.NullMarked;
