/** What people are told about ComputeDomains and cliques. */
@NullMarked
package io.imexagent.controller.report;

import org.jspecify.annotations.NullMarked;
