/** What the controller knows of the cluster: what its watches told, and what its own calls were answered. */
@NullMarked
package io.imexagent.controller.state;

import org.jspecify.annotations.NullMarked;
