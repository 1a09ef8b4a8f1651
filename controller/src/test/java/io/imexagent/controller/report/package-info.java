@NullMarked
package io.imexagent.controller.report;

import org.jspecify.annotations.NullMarked;
