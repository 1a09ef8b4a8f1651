/** The work: a queue of ComputeDomains, the calls, and how it went. */
@NullMarked
package io.imexagent.controller.work;

import org.jspecify.annotations.NullMarked;
