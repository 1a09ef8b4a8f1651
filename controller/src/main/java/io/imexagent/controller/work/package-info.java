/** The work: a queue, what is done about ComputeDomains, cliques and nodes, and how it went. */
@NullMarked
package io.imexagent.controller.work;

import org.jspecify.annotations.NullMarked;
