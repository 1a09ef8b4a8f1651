/** The agent's configuration: one record, every value with its origin, all faults at once. */
@NullMarked
package io.imexagent.agent.config;

import org.jspecify.annotations.NullMarked;
