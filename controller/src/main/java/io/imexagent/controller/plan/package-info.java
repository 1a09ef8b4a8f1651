/** What is to be done about ComputeDomains and cliques: pure functions from what was observed to the next step. */
@NullMarked
package io.imexagent.controller.plan;

import org.jspecify.annotations.NullMarked;
