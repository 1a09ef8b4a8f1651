/** Tests of running programs. */
@NullMarked
package io.imexagent.agent.command;

import org.jspecify.annotations.NullMarked;
