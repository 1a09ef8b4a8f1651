/** The controller's benchmark. */
@NullMarked
package io.imexagent.testkit.controlplane;

import org.jspecify.annotations.NullMarked;
