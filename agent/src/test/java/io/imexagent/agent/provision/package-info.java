/** Tests of provisioning. */
@NullMarked
package io.imexagent.agent.provision;

import org.jspecify.annotations.NullMarked;
