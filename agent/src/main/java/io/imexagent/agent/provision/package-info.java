/** Installs nvidia-imex and enables its unit where it belongs: plan first, then one step after the other. */
@NullMarked
package io.imexagent.agent.provision;

import org.jspecify.annotations.NullMarked;
