/** The house rules, over all modules that ship. */
@NullMarked
package io.imexagent.agent.architecture;

import org.jspecify.annotations.NullMarked;
