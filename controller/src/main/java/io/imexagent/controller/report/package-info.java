/** What people are told about ComputeDomains. */
@NullMarked
package io.imexagent.controller.report;

import org.jspecify.annotations.NullMarked;
