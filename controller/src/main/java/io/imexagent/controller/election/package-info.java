/** Who of several controllers works: a Lease. */
@NullMarked
package io.imexagent.controller.election;

import org.jspecify.annotations.NullMarked;
