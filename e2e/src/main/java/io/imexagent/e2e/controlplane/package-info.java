/** The controller's benchmark. */
@NullMarked
package io.imexagent.e2e.controlplane;

import org.jspecify.annotations.NullMarked;
